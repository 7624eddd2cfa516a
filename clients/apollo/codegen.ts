import type { CodegenConfig } from "@graphql-codegen/cli";

export default {
  schema: "../../schema.graphql",
  documents: "src/**/*.{ts,tsx}",
  generates: {
    "src/__generated__/": { preset: "client", presetConfig: { fragmentMasking: false } },
  },
  config: { scalars: { DateTime: "string", Decimal: "string" } },
} satisfies CodegenConfig;
