//! Fields that another service has, and a record of what it was asked.

use std::sync::{Arc, Mutex};

use bookends_graphql::{ByKey, Cost, Error, ObjectType, Result};
use sea_orm::{EntityTrait, Value};
use tokio::sync::Barrier;

use crate::tables::{city, river};

/// The service, in the data of a request.
#[derive(Clone)]
pub struct Service {
    asked: Arc<Mutex<Vec<String>>>,
    two: Arc<Barrier>,
}

impl Default for Service {
    fn default() -> Self {
        Self { asked: Arc::default(), two: Arc::new(Barrier::new(2)) }
    }
}

impl Service {
    fn ask<'a>(&self, what: &str, names: impl Iterator<Item = &'a str>) {
        self.asked.lock().unwrap().push(format!("{what} {}", names.collect::<Vec<_>>().join(", ")));
    }

    /// What it was asked since the last call.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn unknown(what: &str, of: &str) -> Error {
    Error::client("UNKNOWN", format!("the {what} of {of} is unknown"))
}

/// Records that a call has ended.
struct Ended<'a>(&'a Service);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.ask("ended", std::iter::empty());
    }
}

/// The weather of Passau is unknown.
fn weather(city: &city::Model, unit: &str) -> Result<Option<String>> {
    match city.name.as_str() {
        "Passau" => Err(unknown("weather", "Passau")),
        "Atlantis" => Ok(None),
        name => Ok(Some(format!("{} {unit}", name.len()))),
    }
}

pub fn of_cities(cities: &mut ObjectType) {
    cities
        .resolved::<city::Entity, _>("weather", |cities, request| {
            Box::pin(async move {
                request.data::<Service>()?.ask("weather", cities.iter().map(|city| city.name.as_str()));
                let unit: Option<String> = request.argument("unit")?;
                let unit = unit.unwrap_or_else(|| "C".into());
                Ok(cities.into_iter().map(|city| weather(city, &unit)).collect())
            })
        })
        .describe("The weather.")
        .argument::<Option<String>>("unit", "The unit.")
        .cost(Cost::Statements(3));
    cities
        .resolved_of::<String>("mayor", &[city::Column::Name.into()], |names, request| {
            Box::pin(async move {
                let names: Vec<String> = names.into_iter().flatten().map(Value::unwrap).collect();
                request.data::<Service>()?.ask("mayor", names.iter().map(String::as_str));
                let mayor = |name: String| {
                    if name == "Innsbruck" { Err(unknown("mayor", &name)) } else { Ok(format!("M. {name}")) }
                };
                Ok(names.into_iter().map(mayor).collect())
            })
        })
        .describe("The mayor.");
    cities
        .resolved_object::<city::Entity, city::Entity>("next", |cities, request| {
            Box::pin(async move {
                request.data::<Service>()?.ask("next", cities.iter().map(|city| city.name.as_str()));
                let next = |city: &city::Model| match city.id {
                    4 => Err(unknown("next city", &city.name)),
                    5 => Ok(None),
                    id => Ok(Some(ByKey::new(if id == 3 { 99 } else { id + 1 }))),
                };
                Ok(cities.into_iter().map(next).collect())
            })
        })
        .describe("The city with the next key.");
    cities
        .resolved::<city::Entity, Option<i32>>("lost", |_, _| Box::pin(async { Ok(Vec::new()) }))
        .describe("Nothing.");
    cities
        .resolved::<city::Entity, Option<i32>>("late", |_, _| Box::pin(async { Err(unknown("time", "all")) }))
        .describe("Nothing.");
    cities.resolved::<city::Entity, bool>("endless", |_, request| {
        Box::pin(async move {
            let service = request.data::<Service>()?;
            service.ask("begun", std::iter::empty());
            let _ended = Ended(service);
            std::future::pending().await
        })
    });
    for name in ["one", "other"] {
        cities.resolved::<city::Entity, bool>(name, |cities, request| {
            Box::pin(async move {
                request.data::<Service>()?.two.wait().await;
                Ok(cities.iter().map(|_| Ok(true)).collect())
            })
        });
    }
}

pub fn of_rivers(rivers: &mut ObjectType) {
    rivers
        .resolved::<river::Entity, i32>("rank", |rivers, request| {
            Box::pin(async move {
                request.data::<Service>()?.ask("rank", rivers.iter().map(|river| river.name.as_str()));
                let all = keyset::find_models(request.reader(), &river::Entity::find()).await;
                let all = all.map_err(|error| request.reader().error(error))?;
                let rank = |river: &river::Model| all.iter().filter(|other| other.name <= river.name).count();
                Ok(rivers.into_iter().map(|river| Ok(i32::try_from(rank(river)).unwrap())).collect())
            })
        })
        .describe("Its place by name.");
}
