//! The sizes of the pages of an object's lists.

use keyset::Limits;

use super::object::ObjectType;

/// What an object says of the pages of its lists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PageSize {
    pub default: Option<u32>,
    pub max: Option<u32>,
}

impl PageSize {
    /// The limits of its pages on a server with these.
    pub fn within(self, limits: Limits) -> Limits {
        let max = self.max.unwrap_or(limits.max).min(limits.max);
        Limits { default: self.default.unwrap_or(limits.default), max, ..limits }
    }

    /// Describes the argument `first`.
    pub fn description(self) -> String {
        let max = match self.max {
            None => "the maximum of the server, which is 100 by default".to_owned(),
            Some(max) => format!("{max}, or to the maximum of the server if that is smaller"),
        };
        let size = self.within(Limits { max: u32::MAX, ..Limits::default() }).size();
        let objects = if size == 1 { "1 object".to_owned() } else { format!("{size} objects") };
        format!(
            "Returns at most this many objects from the start. The value is from 0 to {max}. Without `first` and `last`, a page has \
             at most {objects}."
        )
    }
}

impl ObjectType {
    /// The size of the pages of its lists without `first` and `last`, in objects: 20 by default. It is never more than the maximum.
    pub fn page_size(&mut self, default: u32) -> &mut Self {
        self.pages.default = Some(default);
        self
    }

    /// The largest size of the pages of its lists, in objects, where the server allows as many. A larger `first` or `last` is the error
    /// `PAGE_INVALID`.
    pub fn max_page_size(&mut self, max: u32) -> &mut Self {
        self.pages.max = Some(max);
        self
    }
}
