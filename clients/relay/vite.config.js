import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react({ babel: { plugins: ["relay"] } })],
  test: {
    environment: "jsdom",
    setupFiles: "setup.js",
    testTimeout: 180_000,
  },
});
