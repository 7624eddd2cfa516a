// PostGraphile over the database in DATABASE_URL, as its documentation has it for production: the preset Amber, the pool
// of node-postgres, no watching and no explorer. It prints its URL.
import { createServer } from "node:http";
import { grafserv } from "postgraphile/grafserv/node";
import { makePgService } from "postgraphile/adaptors/pg";
import { postgraphile } from "postgraphile";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

// It leaves out a table with an enum such as `PG-13`, unless the name of the value is made one of GraphQL.
const enumNames = {
  name: "EnumNamesPlugin",
  version: "1.0.0",
  inflection: { replace: { enumValue: (_previous, _options, value) => value.replaceAll(/\W/g, "_") } },
};

const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [enumNames],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ["public"] })],
  grafserv: { graphqlPath: "/graphql", graphiql: false, watch: false, websockets: false },
  grafast: { explain: false },
});
const server = createServer();
await pgl.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
