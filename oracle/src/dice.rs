//! Random choices that can be made again, and made simpler.

/// Choices that are the same in each run (xorshift), or a list of them.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
    /// The choices to make first; after a list, every choice is the first.
    given: Option<Vec<usize>>,
    /// The choices that were made.
    pub made: Vec<usize>,
}

impl Dice {
    /// Random choices.
    pub fn of_seed(seed: u64) -> Self {
        Self { state: (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), given: None, made: Vec::new() }
    }

    /// Makes these choices.
    pub fn of_choices(choices: Vec<usize>) -> Self {
        Self { state: 1, given: Some(choices), made: Vec::new() }
    }

    /// One of this many.
    pub fn roll(&mut self, sides: usize) -> usize {
        let choice = if let Some(given) = &self.given {
            given.get(self.made.len()).copied().unwrap_or_default().min(sides - 1)
        } else {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            usize::try_from(self.state % sides as u64).unwrap_or_default()
        };
        self.made.push(choice);
        choice
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.roll(items.len())]
    }

    /// Once in this many times; never, where every choice is the first.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == times - 1
    }
}

/// Simpler lists of choices than this one: without a part, or with the first choice in its place.
pub fn simpler(choices: &[usize]) -> Vec<Vec<usize>> {
    let mut simpler = Vec::new();
    let mut length = choices.len();
    while length > 0 {
        for from in (0..choices.len()).step_by(length) {
            let to = (from + length).min(choices.len());
            simpler.push([&choices[..from], &choices[to..]].concat());
            if choices[from..to].iter().any(|choice| *choice > 0) {
                simpler.push([&choices[..from], &vec![0; to - from], &choices[to..]].concat());
            }
        }
        length /= 2;
    }
    simpler
}
