"""ARF-aware TCP: a sender below the highest rate of its link uses a k-th of its congestion window.

Source: [arf-aware-tcp §3]. With k = ⌈highest rate / rate⌉, the window becomes ⌊cwnd / k⌋ when the rate
falls, and the saved window returns at the highest rate. The paper does not say whether the smaller window is
constant meanwhile; a variant is one reading of it.

>>> airfair.run("cell.toml", laws={"station.*": ArfAware})
>>> airfair.run("cell.toml", laws={"station.*": partial(ArfAware, "one-shot")})
"""

from collections import deque
from typing import Literal

import airfair
from airfair.law import FlowEnd, Node

Variant = Literal["held", "one-shot", "continuous"]
Link = tuple[int, int]


class ArfAware(airfair.Law):
    """ARF-aware TCP at a station that sends, as `control = "arf-aware"`.

    `variant` is the reading of the paper. "held": while the rate is low, the window is at most a k-th of the
    saved one. "one-shot": at each change of the rate, cwnd is set to a k-th of the saved one, and then
    follows TCP. "continuous": the window is at most a k-th of the current cwnd.

    The driver notifies TCP of each rate. With `poll_ns`, TCP queries the rate instead, each time after this
    duration. `notification_delay_ns` is the time until TCP knows a rate.
    """

    version = "1"

    def __init__(
        self,
        variant: Variant = "held",
        *,
        poll_ns: int | None = None,
        notification_delay_ns: int = 0,
    ) -> None:
        self.variant = variant
        self.poll_ns = poll_ns
        self.delay_ns = notification_delay_ns
        # Rates of the link: the current and the highest one, and both at the last poll [bit/s].
        self.link: Link | None = None
        self.read: Link | None = None
        self.next_poll_ns = poll_ns
        # Rates that TCP does not know yet, each with the time at which it will.
        self.under_way: deque[tuple[int, Link]] = deque()
        # Congestion windows at the highest rate, by flow [segments].
        self.saved: dict[str, int] = {}

    def start(self, node: Node) -> None:
        """Plan the first poll."""
        self._wake(node)

    def rate(self, node: Node, rate: int, highest: int) -> None:
        """Notify TCP of the new rate, unless TCP polls it."""
        self.link = (rate, highest)
        if self.poll_ns is None:
            self._notify(node)

    def timer(self, node: Node) -> None:
        """Poll the rate, and let TCP know the rates whose delay is over."""
        is_due = self.next_poll_ns is not None and self.next_poll_ns <= node.now_ns
        if is_due and self.poll_ns is not None:
            self.next_poll_ns = node.now_ns + self.poll_ns
            if self.link != self.read:
                self.read = self.link
                self._notify(node)
                return
        self._take_notifications(node)

    def _notify(self, node: Node) -> None:
        """Notify TCP of the rates of the link, after the delay."""
        if self.link is not None:
            self.under_way.append((node.now_ns + self.delay_ns, self.link))
        self._take_notifications(node)

    def _take_notifications(self, node: Node) -> None:
        """Set windows by the rates that TCP knows from now on."""
        known = []
        while self.under_way and self.under_way[0][0] <= node.now_ns:
            known.append(self.under_way.popleft()[1])
        for sender in node.senders:
            for rate, highest in known:
                self._set_window(sender, -(-highest // rate))
        self._wake(node)

    def _wake(self, node: Node) -> None:
        """Plan the next poll or the next notification, whichever comes first."""
        times = [at_ns for at_ns, _ in self.under_way]
        if self.next_poll_ns is not None:
            times.append(self.next_poll_ns)
        if times:
            node.wake_at_ns(min(times))

    def _set_window(self, sender: FlowEnd, k: int) -> None:
        """Divide the window below the highest rate, and restore it at that rate."""
        if sender.cwnd is None:
            return
        if k > 1:
            self._divide(sender, self.saved.setdefault(sender.flow, sender.cwnd), k)
        else:
            sender.limit_window()
            if sender.flow in self.saved:
                sender.set_cwnd(self.saved.pop(sender.flow))

    def _divide(self, sender: FlowEnd, saved: int, k: int) -> None:
        """Give the sender a k-th of the saved window, at least one segment."""
        arf_cwnd = max(saved // k, 1)
        if self.variant == "held":
            sender.limit_window(segments=arf_cwnd)
        elif self.variant == "one-shot":
            sender.set_cwnd(arf_cwnd)
        else:
            sender.limit_window(divide_by=k)
