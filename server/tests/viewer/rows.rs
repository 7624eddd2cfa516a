//! The rows of the example `projects`.

use sea_orm::prelude::Uuid;
use sea_orm::{ActiveModelTrait, ConnectionTrait, Set};

use crate::projects::{account, comment, member, project, task, tenant};
use crate::world::World;
use oracle::dice::Dice;

/// Counts the tasks of each project.
pub const KEPT: &str = "DELETE FROM project_stats;
    INSERT INTO project_stats SELECT project_id, COUNT(*) FROM task GROUP BY project_id";

/// The number of tasks of each project.
pub mod stats {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "project_stats")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub project_id: Uuid,
        pub tasks: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// Fills the tables, in which there are ties, NULLs, and rows that refer to each other.
pub async fn fill(world: &World) {
    let (db, mut dice) = (&world.db, Dice::of_seed(7));
    if !world.is_sqlite() {
        db.execute_unprepared("CREATE TYPE role AS ENUM ('reader', 'editor', 'owner')").await.unwrap();
    }
    db.execute_unprepared(include_str!("../../examples/projects/tables.sql")).await.unwrap();
    let slugs = ["acme", "blue", "corp"];
    for slug in slugs {
        let row = tenant::ActiveModel { slug: Set(slug.into()), name: Set(slug[..1].into()) };
        row.insert(db).await.unwrap();
    }
    let mut accounts = Vec::new();
    for number in 0..9 {
        let (id, tenant_slug) = (key(1, number), Set((*dice.pick(&slugs)).to_owned()));
        let email = Set(format!("{number}@example"));
        account::ActiveModel { id: Set(id), tenant_slug, email }.insert(db).await.unwrap();
        accounts.push(id);
    }
    let mut projects = Vec::new();
    for number in 0..9 {
        let (id, tenant_slug) = (key(2, number), Set((*dice.pick(&slugs)).to_owned()));
        let settings = Set(dice.once_in(2).then(|| serde_json::json!({ "size": number })));
        let name = Set((*dice.pick(&["Road", "Bridge", "Tower"])).to_owned());
        project::ActiveModel { id: Set(id), tenant_slug, name, settings }.insert(db).await.unwrap();
        projects.push(id);
    }
    for (number, project) in projects.iter().enumerate() {
        for account in accounts.iter().skip(number % 3).step_by(3) {
            let role = [member::Role::Reader, member::Role::Editor, member::Role::Owner][dice.roll(3)].clone();
            let row = member::ActiveModel { project_id: Set(*project), account_id: Set(*account), role: Set(role) };
            row.insert(db).await.unwrap();
        }
    }
    let mut tasks = Vec::new();
    for number in 0..50 {
        let (id, parent) = (key(3, number), dice.once_in(2).then(|| tasks.get(dice.roll(10)).copied()).flatten());
        let title = Set((*dice.pick(&["Dig", "Build", "Paint", "Rest"])).to_owned());
        let (project_id, is_done) = (Set(*dice.pick(&projects)), Set(dice.once_in(2)));
        let row = task::ActiveModel { id: Set(id), project_id, parent_id: Set(parent), title, is_done };
        row.insert(db).await.unwrap();
        tasks.push(id);
    }
    for number in 0..80 {
        let (task_id, account_id) = (Set(*dice.pick(&tasks)), Set(*dice.pick(&accounts)));
        let text = Set((*dice.pick(&["Yes", "No", "Later"])).to_owned());
        comment::ActiveModel { id: Set(key(4, number)), task_id, account_id, text }.insert(db).await.unwrap();
    }
    db.execute_unprepared("CREATE TABLE project_stats (project_id uuid PRIMARY KEY, tasks bigint)").await.unwrap();
    db.execute_unprepared(KEPT).await.unwrap();
}

/// A UUID of version 7 for a row of this table.
fn key(table: u128, number: u128) -> Uuid {
    Uuid::from_u128((0x0190_0000_0000_u128 + table * 1000 + number) << 80 | 7 << 76 | 2 << 62 | number)
}
