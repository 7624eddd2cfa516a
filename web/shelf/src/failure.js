// Errors of the server and of the way to it, in plain words.

/** What the reader can do; the others are told as the server says them. */
const WORDS = {
  OFFLINE: "The server does not answer. It may be restarting, or the network is down.",
  UNAVAILABLE: "The database does not answer.",
  OVERLOADED: "The server is busy.",
  RATE_LIMITED: "This browser has asked for much in a short time.",
  TIMEOUT: "The server took too long.",
  NOT_FOUND: "This list does not have that rating. It was deleted, or the filters hide it.",
  ID_INVALID: "That is not the id of a rating.",
  QUERY_TOO_COMPLEX: "This would read too many rows for one request. Narrow the list by stars or years first.",
  UNAUTHENTICATED: "This page may only read. To rate books, open the URL that the server printed when it started: it has the write token.",
  FORBIDDEN: "This server accepts no ratings: it has no write token.",
  READ_ONLY: "This server reads a database that cannot be written.",
  PAGE_INVALID: "Pages as deep as that one cannot be opened by their number. Scroll there, or begin at the end.",
  PAGE_UNKNOWN: "That is not the number of a page.",
};

/** They pass: the page tries again by itself. */
const PASSING = ["OFFLINE", "UNAVAILABLE", "OVERLOADED", "RATE_LIMITED", "TIMEOUT"];

export class Failure extends Error {
  constructor(code, message, pause) {
    super(WORDS[code] ?? message);
    this.code = code;
    this.passes = PASSING.includes(code);
    /** Whether the same request would fail again. */
    this.isFinal = code in WORDS && !this.passes;
    /** In milliseconds. */
    this.pause = pause;
  }

  static ofNetwork(error) {
    return new Failure(error.name === "TimeoutError" ? "TIMEOUT" : "OFFLINE", error.message);
  }

  static ofStatus(status) {
    return new Failure(status >= 500 ? "UNAVAILABLE" : "UNREADABLE", `The server answered with status ${status}, and without GraphQL.`);
  }

  static ofErrors([{ message, extensions }], retryAfter) {
    const said = `${message[0].toUpperCase()}${message.slice(1)}.`;
    return new Failure(extensions?.code, said, retryAfter ? Number(retryAfter) * 1000 : undefined);
  }
}
