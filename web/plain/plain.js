import { token as given } from "./token.js";

const form = document.querySelector("form");
const { query, variables, token } = form.elements;
const answer = document.getElementById("answer");
if (given) token.value = given;

async function run() {
  const headers = { "Content-Type": "application/json" };
  if (token.value) headers.Authorization = `Bearer ${token.value}`;
  const request = { query: query.value, variables: JSON.parse(variables.value || "null") };
  const response = await fetch("graphql", { method: "POST", headers, body: JSON.stringify(request) });
  const text = await response.text();
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return `${response.status} ${response.statusText}\n${text}`;
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  answer.textContent = await run().catch((error) => `Not sent: ${error.message}`);
});

form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
