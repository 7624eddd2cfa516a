// Numbers and dates, in the language of the page: that of the browser may be another one.
const { lang } = document.documentElement;

const exactly = (digits) => new Intl.NumberFormat(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const number = exactly(0);
export const mean = exactly(1);
export const day = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeZone: "UTC" });

const hundredths = exactly(2);
export const time = (ms) => `${(ms < 10 ? hundredths : number).format(ms)} ms`;
