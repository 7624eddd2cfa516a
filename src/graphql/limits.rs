//! What a request may cost: counted before anything is read.
//!
//! Every field costs 1, and one that needs a statement of its own 50 more; a list costs what is selected of it times the
//! size of its page. So the cost is about the number of values in the largest possible answer.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextValidation};
use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use async_graphql::{ID, Name, ServerError, ValidationResult};

use super::error::{Code, Error};
use crate::config::Limits;

/// What a statement costs.
pub const STATEMENT_COST: usize = 50;
/// The largest page that a server can be configured for. A larger one is refused for its size, not for its cost.
const LARGEST_PAGE: i32 = 1000;

/// The cost of a list: its children, times the size of its page.
pub fn list_cost(first: Option<i32>, last: Option<i32>, children: usize) -> usize {
    let default = i32::try_from(keyset::Limits::default().default).unwrap_or(LARGEST_PAGE);
    let size = first.or(last).unwrap_or(default).clamp(0, LARGEST_PAGE);
    times(usize::try_from(size).unwrap_or(0), children)
}

/// The cost of objects by their ids.
#[expect(clippy::ptr_arg, reason = "what the macro of the schema hands over")]
pub fn nodes_cost(ids: &Vec<ID>, children: usize) -> usize {
    times(ids.len(), children)
}

/// Costs are added up, so none comes near the largest number.
fn times(size: usize, children: usize) -> usize {
    STATEMENT_COST.saturating_add(size.saturating_mul(children)).min(usize::MAX >> 32)
}

/// Refuses a request that grows beyond all bounds where its fragments are written out: sixty fragments that each name the
/// next one twice are a line for who sends them, and for whoever walks through them, as the library's validation does,
/// a million million million fields.
///
/// # Errors
///
/// [`Code::TooComplex`], and [`Code::TooDeep`] for more than 32 levels of fields and fragments, which the library refuses.
pub fn check_size(document: &ExecutableDocument, limits: Limits) -> Result<(), Error> {
    let mut known = HashMap::new();
    let size = document.operations.iter().try_fold(0_usize, |size, (_, operation)| {
        Some(size.saturating_add(written_out(&operation.node.selection_set.node, document, 0, &mut known)?))
    });
    match size {
        Some(size) if size <= limits.max_complexity => Ok(()),
        Some(_) => {
            let message = format!(
                "with its fragments written out the request has more fields than the {} that may be asked for (the setting \
                 MAX_COMPLEXITY)",
                limits.max_complexity
            );
            Err(Error::client(Code::TooComplex, message))
        }
        None => Err(Error::client(Code::TooDeep, "the fields and fragments of a request are at most 32 levels deep")),
    }
}

/// The number of fields; none where it is too deep, or a fragment contains itself.
fn written_out<'a>(
    set: &'a SelectionSet,
    document: &'a ExecutableDocument,
    level: usize,
    known: &mut HashMap<&'a Name, usize>,
) -> Option<usize> {
    let level = (level < 32).then_some(level + 1)?;
    set.items.iter().try_fold(0_usize, |size, item| {
        let more = match &item.node {
            Selection::Field(field) => {
                written_out(&field.node.selection_set.node, document, level, known)?.saturating_add(1)
            }
            Selection::InlineFragment(fragment) => {
                written_out(&fragment.node.selection_set.node, document, level, known)?
            }
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                match (known.get(name), document.fragments.get(name)) {
                    (Some(size), _) => *size,
                    // Validation will say that there is none.
                    (None, None) => 0,
                    (None, Some(fragment)) => {
                        let size = written_out(&fragment.node.selection_set.node, document, level, known)?;
                        known.insert(name, size);
                        size
                    }
                }
            }
        };
        Some(size.saturating_add(more))
    })
}

/// Says by how much a request exceeds a limit, instead of executing it: the schema that serves knows only that it does.
pub struct Meter(pub Limits);

impl ExtensionFactory for Meter {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self(self.0))
    }
}

#[async_graphql::async_trait::async_trait]
impl Extension for Meter {
    async fn validation(
        &self,
        context: &ExtensionContext<'_>,
        next: NextValidation<'_>,
    ) -> Result<ValidationResult, Vec<ServerError>> {
        let ValidationResult { complexity, depth, .. } = next.run(context).await?;
        let Limits { max_complexity, max_depth, .. } = self.0;
        let error = if complexity > max_complexity {
            let message = format!(
                "the request costs {complexity}, and at most {max_complexity} is allowed (the setting MAX_COMPLEXITY): \
                 ask for smaller pages or fewer fields"
            );
            Error::client(Code::TooComplex, message)
        } else {
            let message = format!(
                "the request is {depth} levels deep, and at most {max_depth} are allowed (the setting MAX_DEPTH)"
            );
            Error::client(Code::TooDeep, message)
        };
        Err(vec![error.of_request()])
    }
}
