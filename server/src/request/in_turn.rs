//! Reads of events, in turn: one commit is an event for each subscription of a client, and each of them reads.

use bookends_graphql::Reader;
use keyset::{Many, ManyBy, ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{DbBackend, DbErr, Statement};

use super::admission::Admission;

/// A reader whose statements each wait for a turn of their client. A query takes its turn as a whole instead.
pub struct InTurn {
    pub reader: Reader,
    pub admission: Admission,
    /// What an event costs.
    pub cost: usize,
}

#[async_trait]
impl ReadRows for InTurn {
    fn backend(&self) -> DbBackend {
        self.reader.backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        let _turn = self.admission.turn(self.cost).await;
        self.reader.read(statement).await
    }

    fn reads_many(&self) -> ManyBy {
        self.reader.reads_many()
    }

    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        let _turn = self.admission.turn(self.cost).await;
        self.reader.read_many(statement, many).await
    }
}
