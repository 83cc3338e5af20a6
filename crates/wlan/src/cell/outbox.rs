//! What a cell has to say, told from the first to the last.

/// A list that may grow while it is told; its memory is used again.
#[derive(Debug)]
pub(super) struct Outbox<T> {
    items: Vec<T>,
    told: usize,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self { items: Vec::new(), told: 0 }
    }
}

impl<T> Outbox<T> {
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// True if all has been told.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.told == self.items.len()
    }

    /// The next one; nothing if all have been told.
    #[inline]
    pub(super) fn poll(&mut self) -> Option<&T> {
        if self.is_empty() {
            self.items.clear();
            self.told = 0;
            return None;
        }
        self.told += 1;
        self.items.get(self.told - 1)
    }
}
