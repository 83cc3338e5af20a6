//! Roster: the contenders of a cell. A member has one contender for each access category that it uses.

use crate::config::CellConfig;
use crate::edca::AccessCategory;
use crate::node::NodeId;

/// Contender: a member with an access category.  [80211-2020 §10.23.2.1]
///
/// Contenders are ordered by member, and those of one member by category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContenderId {
    member: u16,
    index: u16,
}

impl ContenderId {
    /// Contender of a member's lowest category, which is the only one of a member without categories.
    #[inline]
    pub(crate) fn first(NodeId(member): NodeId) -> Self {
        Self { member, index: member }
    }

    /// Member of the contender.
    #[inline]
    pub(crate) fn member(self) -> NodeId {
        NodeId(self.member)
    }

    /// True if the contender is the first one of its member.
    #[inline]
    pub(crate) fn is_first(self) -> bool {
        self.index == self.member
    }

    /// Index in tables with one entry per contender.
    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.index)
    }
}

/// All contenders: the first of each member in the order of members, then the others.
#[derive(Clone, Debug)]
pub(crate) struct Roster {
    members: u16,
    /// Contenders that are not the first of their member; `others_of` has the index of the first of them for each
    /// member. Both are empty if no member has several contenders.
    others: Vec<ContenderId>,
    others_of: Vec<u16>,
    /// Access category of each contender.
    categories: Vec<AccessCategory>,
}

impl Roster {
    /// Contenders of a cell.
    ///
    /// # Panics
    /// If there are more contenders than an index can count.
    pub(crate) fn new(config: &CellConfig) -> Self {
        let count = place(config.stations.len() + 1);
        let of = |member| config.categories(NodeId(member));
        let first = |member| of(member).first().map_or(AccessCategory::default(), |it| it.0);
        let mut categories: Vec<AccessCategory> = (0..count).map(first).collect();
        let (mut others, mut others_of) = (Vec::new(), Vec::new());
        for member in 0..count {
            others_of.push(place(categories.len()));
            for (category, _) in of(member).iter().skip(1) {
                others.push(ContenderId { member, index: place(categories.len()) });
                categories.push(*category);
            }
        }
        others_of.push(place(categories.len()));
        if others.is_empty() {
            others_of.clear();
        }
        Self { members: count, others, others_of, categories }
    }

    /// Number of members.
    pub(crate) fn members(&self) -> u16 {
        self.members
    }

    /// Number of contenders.
    pub(crate) fn len(&self) -> usize {
        self.categories.len()
    }

    /// True if each member of the cell has one contender.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.others.is_empty()
    }

    /// Contender with this index.
    #[inline]
    pub(crate) fn get(&self, index: u16) -> ContenderId {
        match index.checked_sub(self.members) {
            None => ContenderId::first(NodeId(index)),
            Some(place) => self.others[usize::from(place)],
        }
    }

    /// Contenders that are not the first of their member.
    pub(crate) fn others(&self) -> impl Iterator<Item = ContenderId> {
        self.others.iter().copied()
    }

    /// All contenders, in the order of their indices.
    pub(crate) fn all(&self) -> impl Iterator<Item = ContenderId> {
        (0..self.members).map(NodeId).map(ContenderId::first).chain(self.others.iter().copied())
    }

    /// Contenders of a member, in ascending order of category.
    #[inline]
    pub(crate) fn of(
        &self,
        member: NodeId,
    ) -> impl DoubleEndedIterator<Item = ContenderId> + use<> {
        let others = match &self.others_of[..] {
            [] => 0..0,
            of => of[member.index()]..of[member.index() + 1],
        };
        let id = move |index| ContenderId { member: member.0, index };
        std::iter::once(ContenderId::first(member)).chain(others.map(id))
    }

    /// Index of the hop from a contender to a receiver. Hops up come first, by contender; then the hops down, by
    /// contender of the access point and receiver.
    pub(crate) fn hop(&self, id: ContenderId, to: NodeId) -> usize {
        if !id.member().is_ap() {
            return id.index();
        }
        // Among all contenders that are not the first of their member, the access point's come first.
        let rank = if id.is_first() { 0 } else { id.index() - usize::from(self.members) + 1 };
        self.len() + rank * usize::from(self.members) + to.index()
    }

    /// Number of hops of the cell: a hop is a contender with one of its receivers.
    pub(crate) fn hops(&self) -> usize {
        self.len() + self.of(NodeId::AP).count() * usize::from(self.members)
    }

    /// Access category of each contender.
    pub(crate) fn categories(&self) -> &[AccessCategory] {
        &self.categories
    }

    /// Access category of a contender.
    pub(crate) fn category(&self, id: ContenderId) -> AccessCategory {
        self.categories[id.index()]
    }

    /// Contender of a member for packets of a category. If the member does not use the category, the contender of the
    /// next lower category that it uses, or else of the lowest.
    #[inline]
    pub(crate) fn find(
        &self,
        member: NodeId,
        category: impl FnOnce() -> AccessCategory,
    ) -> ContenderId {
        let first = ContenderId::first(member);
        if self.is_plain() { first } else { self.find_among(member, category()) }
    }

    #[inline(never)]
    fn find_among(&self, member: NodeId, category: AccessCategory) -> ContenderId {
        let mut of = self.of(member);
        let found = of.rfind(|id| self.category(*id) <= category);
        found.unwrap_or(ContenderId::first(member))
    }
}

fn place(index: usize) -> u16 {
    u16::try_from(index).expect("at most 65 535 contenders")
}
