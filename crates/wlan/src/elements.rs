//! Elements of a beacon for other protocol layers. The MAC does not interpret them.

use airfair_units::Bytes;

/// Largest total size of a beacon's elements [octets].
const CAPACITY: usize = 23;

/// Elements of a beacon, one after the other, each with number, length and payload.  [80211-2020 §9.4.2.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    octets: [u8; CAPACITY],
    length: u8,
}

/// Error: a beacon has no room for another element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Elements {
    /// Adds an element.
    ///
    /// # Errors
    /// [`Full`] if the elements would be too long together. In this case nothing is added.
    pub fn put(&mut self, id: u8, payload: &[u8]) -> Result<(), Full> {
        let start = usize::from(self.length);
        let end = start + 2 + payload.len();
        let room = self.octets.get_mut(start..end).ok_or(Full)?;
        room[0] = id;
        room[1] = u8::try_from(payload.len()).map_err(|_| Full)?;
        room[2..].copy_from_slice(payload);
        self.length = u8::try_from(end).map_err(|_| Full)?;
        Ok(())
    }

    /// Adds the elements of another list.
    ///
    /// # Errors
    /// [`Full`] if the elements would be too long together. Those that fit are added.
    pub fn append(&mut self, others: &Self) -> Result<(), Full> {
        others.iter().try_for_each(|(id, payload)| self.put(id, payload))
    }

    /// Payload of the first element with number `id`.
    pub fn get(&self, id: u8) -> Option<&[u8]> {
        self.iter().find(|(number, _)| *number == id).map(|(_, payload)| payload)
    }

    /// Octets by which the elements lengthen a beacon: only their payloads count.  Deviates: [D-110]
    pub fn size(&self) -> Bytes {
        self.iter().map(|(_, payload)| Bytes::new(payload.len() as u64)).sum()
    }

    /// Elements of the beacon in order, each with its number and its payload.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &[u8])> {
        let mut rest = &self.octets[..usize::from(self.length)];
        std::iter::from_fn(move || {
            let (&[id, length], after) = rest.split_first_chunk()?;
            let (payload, others) = after.split_at(usize::from(length));
            rest = others;
            Some((id, payload))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements are found by their number, and are refused once the beacon has no room. Two elements have payloads of
    /// three and two octets. Of several elements with one number, the first is found. 23 octets have room for 2 + 3,
    /// 2 + 2 and 2 + 12, and for nothing more.
    ///
    /// Verifies: [80211-2020 §9.4.2.1]
    #[test]
    fn what_is_put_in_is_found_by_its_number_as_long_as_there_is_room() {
        let mut elements = Elements::default();
        assert_eq!((elements.get(0), elements.size()), (None, Bytes::ZERO));
        for (id, payload) in [(221, &[1, 2, 3][..]), (7, &[4, 5])] {
            assert_eq!(elements.put(id, payload), Ok(()));
        }
        assert_eq!((elements.get(221), elements.get(7)), (Some(&[1, 2, 3][..]), Some(&[4, 5][..])));
        let before = elements;
        assert_eq!(elements.put(221, &[9; 13]), Err(Full));
        assert_eq!(elements, before);
        assert_eq!(elements.put(221, &[9; 12]), Ok(()));
        assert_eq!(elements.get(221), Some(&[1, 2, 3][..]));
        assert_eq!((elements.get(1), elements.size()), (None, Bytes::new(17)));
        assert_eq!(elements.put(3, &[]), Err(Full));
        let mut copy = Elements::default();
        assert_eq!((copy.append(&elements), copy), (Ok(()), elements));
        assert_eq!(copy.append(&before), Err(Full));
    }
}
