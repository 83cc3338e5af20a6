/* Map with one entry, `struct orders`, which each program defines. The agent writes it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct orders);
} orders SEC(".maps");
