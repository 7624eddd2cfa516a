import { defineConfig } from "vitest/config";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxDev: false },
  test: {
    environment: "jsdom",
    setupFiles: "setup.js",
    testTimeout: 180_000,
  },
});
