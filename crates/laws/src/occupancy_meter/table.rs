//! A small sorted table with numbers as keys.

use std::ops::Index;

/// Values of a few stations or flows, sorted by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<T>(Vec<(u16, T)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Table<T> {
    /// Number of values in the table.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no values in the table.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value with the key `number`. O(log n), or O(1) if the keys are consecutive.
    pub fn get(&self, number: u16) -> Option<&T> {
        let place = self.place(number).ok()?;
        Some(&self.0[place].1)
    }

    /// Keys of the table and their values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &T)> {
        self.0.iter().map(|(number, value)| (*number, value))
    }

    /// Keys that have a value, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        self.0.iter().map(|(number, _)| *number)
    }

    /// Values in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Index of the entry with the key `number`, or else the index at which to insert one. Consecutive keys,
    /// as of stations, need no search.
    #[inline]
    fn place(&self, number: u16) -> Result<usize, usize> {
        let first = self.0.first().map_or(0, |(first, _)| *first);
        let guess = usize::from(number.wrapping_sub(first));
        match self.0.get(guess) {
            Some((known, _)) if *known == number => Ok(guess),
            _ => self.0.binary_search_by_key(&number, |(known, _)| *known),
        }
    }
}

impl<T: Default> Table<T> {
    /// Returns the value with the key `number`, and inserts a default if there is none. O(n) for the
    /// insertion, then as [`get`](Self::get).
    #[inline]
    pub fn or_default(&mut self, number: u16) -> &mut T {
        let place = self.place(number).unwrap_or_else(|place| {
            self.0.insert(place, (number, T::default()));
            place
        });
        &mut self.0[place].1
    }
}

impl<T> Index<u16> for Table<T> {
    type Output = T;

    fn index(&self, number: u16) -> &T {
        self.get(number).expect("a number that the table knows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_table_is_a_sorted_map(added in prop::collection::vec((0..20u16, 0..100u32), 0..60)) {
            let (mut table, mut map) = (Table::<u32>::default(), BTreeMap::<u16, u32>::new());
            for (number, more) in added {
                *table.or_default(number) += more;
                *map.entry(number).or_default() += more;
            }
            prop_assert!(table.iter().eq(map.iter().map(|(number, value)| (*number, value))));
            prop_assert!((0..20).all(|number| table.get(number) == map.get(&number)));
            prop_assert_eq!((table.len(), table.is_empty()), (map.len(), map.is_empty()));
        }
    }
}
