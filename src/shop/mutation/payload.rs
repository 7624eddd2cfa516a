//! The payload of every mutation.

use keyset_graphql::PayloadFields;

/// What a mutation has done.
pub trait Done: Sized + Send + Sync + 'static {
    /// The name of its payload in the schema.
    const PAYLOAD: &'static str;

    /// Declares the fields of its payload.
    fn fields(fields: &mut PayloadFields<Payload<Self>>);
}

/// A mutation that has been done.
pub struct Payload<D> {
    pub done: D,
    pub client_mutation_id: Option<String>,
}

impl<D: Done> keyset_graphql::Payload for Payload<D> {
    const NAME: &'static str = D::PAYLOAD;

    fn fields(fields: &mut PayloadFields<Self>) {
        fields.describe("A mutation that has been done.");
        D::fields(fields);
        let id = |payload: &Self| payload.client_mutation_id.clone();
        fields.value("clientMutationId", "What the input said.", id);
    }
}
