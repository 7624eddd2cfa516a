//! Tenants with accounts, projects with members, tasks with comments: `cargo run -p bookends-server --example projects`.
#![allow(
    missing_docs,
    clippy::disallowed_methods,
    reason = "an example; nobody calls the `paginate` of derived relations"
)]

mod tables;

use async_graphql::{Context, ID, InputObject, MergedObject, MergedSubscription, Object};
use bookends_server::app::OwnCode;
use bookends_server::db::Sql;
use bookends_server::mutation::{Done, Input, Payload, Problems, Transaction, Write, WriteResult, perform};
use bookends_server::request::Code;
use bookends_server::{
    App, ContextExt, Cost, DeclaredMutation, DeclaredQuery, DeclaredSubscription, Declaring, Error, FieldCost,
    Object as Row, PayloadFields, RowObject, ShownPayload, WriteKind,
};
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Set, Value};
use tables::{account, comment, member, project, task, tenant};

impl RowObject for task::Entity {
    type Entity = Self;
    const NAME: &str = "Task";
}

const TASK_OPEN: OwnCode = OwnCode::new("TASK_OPEN", "a part of the task is not done");

/// The input of `completeTask`.
#[derive(InputObject)]
pub struct CompleteTaskInput {
    id: ID,
    client_mutation_id: Option<String>,
}

pub struct CompleteTask(Value);
pub struct Completed(Row<task::Entity>);

impl Input for CompleteTaskInput {
    type Write = CompleteTask;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, context: &Context<'_>, problems: &mut Problems) -> Option<CompleteTask> {
        problems.check("id", context.declaration().key("Task", &self.id))?.pop().map(CompleteTask)
    }
}

impl Write for CompleteTask {
    type Done = Completed;

    async fn run(&self, transaction: &Transaction) -> WriteResult<Completed> {
        let refuse = |code: &'static str, message| Error::client(code, message).of_field("id");
        let found =
            task::Entity::find().filter(task::Column::Id.eq(self.0.clone())).lock_exclusive().one(transaction).await?;
        let found = found.ok_or_else(|| refuse(Code::NotFound.into(), "no task has this id"))?;
        let parts = task::Entity::find().filter(task::Column::ParentId.eq(found.id));
        if parts.filter(task::Column::IsDone.eq(false)).one(transaction).await?.is_some() {
            return Err(refuse(TASK_OPEN.into(), "a part of the task is not done").into());
        }
        let mut row: task::ActiveModel = found.into();
        row.is_done = Set(true);
        let row = row.update(transaction).await?;
        transaction.announce(WriteKind::Update, "Task", &[row.id.into()]).await?;
        Ok(Completed(Row::new(row)))
    }
}

impl Done for Completed {
    const PAYLOAD: &'static str = "CompleteTaskPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        fields.object("task", "The completed task.", |payload| &payload.done.0);
    }
}

#[derive(Default)]
pub struct Own;

#[Object]
impl Own {
    /// Completes a task, if all tasks below it are done.
    async fn complete_task(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: CompleteTaskInput,
    ) -> Option<ShownPayload<Payload<Completed>>> {
        perform(context, input).await
    }
}

#[derive(Default, MergedObject)]
pub struct Query(DeclaredQuery);

#[derive(Default, MergedObject)]
pub struct Mutation(DeclaredMutation, Own);

#[derive(Default, MergedSubscription)]
pub struct Subscription(DeclaredSubscription);

pub fn app() -> App {
    let mut tables = Declaring::new("Query");
    tables.entity::<tenant::Entity>().describe("A tenant.");
    tables.entity::<account::Entity>().describe("An account of a tenant.");
    tables.entity::<project::Entity>().describe("A project of a tenant.");
    tables.entity::<member::Entity>().describe("An account in a project.");
    tables.entity::<task::Entity>().describe("A task of a project, or a part of another task.");
    tables.entity::<comment::Entity>().describe("A comment on a task.");
    for object in ["Tenant", "Account", "Project", "Member"] {
        tables.create(object);
        tables.update(object);
        tables.delete(object);
    }
    tables.create("Task").without("isDone");
    tables.update("Task").without("isDone");
    tables.delete("Task");
    tables.updated("Task");
    tables.create("Comment");
    tables.delete("Comment");
    tables.created("Comment").rename("commented").describe("Each new comment.");
    tables.deleted("Comment");
    let role = Sql { sqlite: "", postgres: "CREATE TYPE role AS ENUM ('reader', 'editor', 'owner')" };
    App::new("projects", env!("CARGO_PKG_VERSION"), tables)
        .migration("m0001_role", role)
        .migration("m0002_tables", include_str!("tables.sql"))
        .roots::<Query, Mutation, Subscription>()
        .code(TASK_OPEN)
        .costs([FieldCost::new("Mutation", "completeTask", Cost::Write)])
}

fn main() -> std::process::ExitCode {
    app().main()
}
