//! The payload of every mutation.

use bookends_graphql::PayloadFields;

/// What a mutation has done.
pub trait Done: Sized + Send + Sync + 'static {
    /// The name of its payload in the schema.
    const PAYLOAD: &'static str;

    /// Declares the fields of its payload.
    fn fields(fields: &mut PayloadFields<Payload<Self>>);
}

/// The payload of a mutation.
#[derive(Debug)]
pub struct Payload<D> {
    /// What it has done.
    pub done: D,
    /// The text in the input.
    pub client_mutation_id: Option<String>,
}

impl<D: Done> bookends_graphql::Payload for Payload<D> {
    const NAME: &'static str = D::PAYLOAD;

    fn fields(fields: &mut PayloadFields<Self>) {
        let mutation = D::PAYLOAD.trim_end_matches("Payload");
        let (first, rest) = mutation.split_at(1);
        fields.describe(format!("The payload of `{}{rest}`.", first.to_lowercase()));
        D::fields(fields);
        let id = |payload: &Self| payload.client_mutation_id.clone();
        fields.value("clientMutationId", "The `clientMutationId` of the input. Null if the input has none.", id);
    }
}
