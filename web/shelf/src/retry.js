// Another attempt after a failure that passes: the pauses between them grow.

/** In milliseconds. */
const PAUSES = [500, 1000, 2000, 4000];

export class Retry {
  #failures = 0;
  #timer;

  /** Calls this after a pause: the one that the server asked for, or the next one. */
  plan(error, attempt) {
    this.cancel();
    const pause = error.pause ?? PAUSES[Math.min(this.#failures, PAUSES.length - 1)];
    this.#failures += 1;
    this.#timer = setTimeout(attempt, pause);
  }

  cancel() {
    clearTimeout(this.#timer);
  }

  succeeded() {
    this.#failures = 0;
  }
}
