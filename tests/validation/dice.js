// Numbers that look random and are the same at every run.
export class Dice {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  // At least 0, less than 1 (mulberry32).
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let bits = this.state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  }

  below(number) {
    return Math.floor(this.next() * number);
  }

  chance(probability) {
    return this.next() < probability;
  }

  one(items) {
    return items[this.below(items.length)];
  }
}
