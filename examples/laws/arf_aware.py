"""ARF-aware TCP: a sender below the highest rate of its link uses a k-th of its congestion window.

Source: [arf-aware-tcp §3]. With k = ⌈highest rate / rate⌉, the window becomes ⌊cwnd / k⌋ when the rate
falls, and the saved window returns at the highest rate. The paper does not say whether the smaller window is
constant meanwhile; a variant is one reading of it.

>>> airfair.run("cell.toml", laws={"station.*": ArfAware})
>>> airfair.run("cell.toml", laws={"station.*": partial(ArfAware, "one-shot")})
"""

from typing import Literal

import airfair
from airfair.law import FlowEnd, Node

Variant = Literal["held", "one-shot", "continuous"]


class ArfAware(airfair.Law):
    """ARF-aware TCP at a station that sends, as `control = "arf-aware"`.

    `variant` is the reading of the paper. "held": while the rate is low, the window is at most a k-th of the
    saved one. "one-shot": at each change of the rate, cwnd is set to a k-th of the saved one, and then
    follows TCP. "continuous": the window is at most a k-th of the current cwnd.
    """

    version = "1"

    def __init__(self, variant: Variant = "held") -> None:
        self.variant = variant
        # Congestion windows at the highest rate, by flow [segments].
        self.saved: dict[str, int] = {}

    def rate(self, node: Node, rate: int, highest: int) -> None:
        """Divide the windows below the highest rate, and restore them at that rate."""
        k = -(-highest // rate)
        for sender in node.senders:
            if sender.cwnd is None:
                continue
            if k > 1:
                saved = self.saved.setdefault(sender.flow, sender.cwnd)
                self._divide(sender, saved, k)
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
