// PostGraphile as its documentation has it for production: the preset Amber, the names of its preset "simplify inflection",
// no watching, no explorer, and the plugins that it names for filters, many-to-many relations and aggregates. It has one
// process for each core, because one has one thread for JavaScript.
import cluster from "node:cluster";
import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import { PgManyToManyPreset } from "@graphile-contrib/pg-many-to-many";
import { PgAggregatesPreset } from "@graphile/pg-aggregates";
import { PgSimplifyInflectionPreset } from "@graphile/simplify-inflection";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { PostGraphileConnectionFilterPreset } from "postgraphile-plugin-connection-filter";

const preset = {
  extends: [
    PostGraphileAmberPreset,
    PgSimplifyInflectionPreset,
    PostGraphileConnectionFilterPreset,
    PgManyToManyPreset,
    PgAggregatesPreset,
  ],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ["public"] })],
  schema: { connectionFilterRelations: true },
  grafserv: { graphqlPath: "/graphql", graphiql: false, watch: false, websockets: false },
  grafast: { explain: false },
};

if (cluster.isPrimary) {
  for (let worker = 0; worker < availableParallelism(); worker += 1) cluster.fork();
  cluster.on("exit", () => process.exit(1));
} else {
  const server = createServer();
  await postgraphile(preset).createServ(grafserv).addTo(server);
  server.listen(Number(process.env.PORT), "127.0.0.1");
}
