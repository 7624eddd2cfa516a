// The configuration of GraphQL Code Generator, for a project beside `schema.graphql`.
import type { CodegenConfig } from "@graphql-codegen/cli";

// docs:start codegen
const config: CodegenConfig = {
  schema: "schema.graphql",
  documents: "src/**/*.{ts,tsx}",
  generates: {
    "src/gql/": {
      preset: "client",
      config: {
        // All of them are texts in responses.
        scalars: { ID: "string", DateTime: "string", Decimal: { input: "string | number", output: "string" } },
        strictScalars: true, // A scalar that is not listed is an error, and not `any`.
      },
    },
  },
};
// docs:end

export default config;
