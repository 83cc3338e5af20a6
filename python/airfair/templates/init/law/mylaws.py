"""A law of one's own for airfair."""

import airfair


class ShareAir(airfair.Law):
    """The access point lowers the TCP windows of downloads that use more than their share of the air."""

    version = "1"
    listen = ("own", "packets")  # frames of the access point, and packets that it forwards
    budget_ns = 75_000_000  # airtime of all downloads in 100 ms

    def start(self, node):
        self.used = {}  # airtime of each flow since the last timer [ns]
        self.window = {}  # largest window of each flow [octets]
        node.wake_in("100 ms")

    def frame(self, node, frame):
        if frame.kind == "data" and frame.sender == node.name:
            for packet in frame.packets:
                used = self.used.get(packet.flow, 0)
                self.used[packet.flow] = used + frame.duration_ns

    def timer(self, node):
        for flow, used in self.used.items():
            window = self.window.get(flow, 65_535)
            is_over = used > self.budget_ns / len(self.used)
            self.window[flow] = max(3000, 0.9 * window if is_over else window + 1500)
        self.used = dict.fromkeys(self.used, 0)
        node.wake_in("100 ms")

    def packet(self, node, packet):
        if packet.is_ack and packet.flow in self.window:
            packet.lower_window(int(self.window[packet.flow]))
