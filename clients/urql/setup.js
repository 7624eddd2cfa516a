import { WebSocket } from "ws";

// The WebSocket of a browser, without the origin of a page.
globalThis.WebSocket = WebSocket;
