/* The map of `struct orders`, which each object declares for itself: one entry, written by the agent. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct orders);
} orders SEC(".maps");
