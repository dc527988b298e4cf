// One line a check; the shell that runs us counts them.
import { isDeepStrictEqual } from 'node:util';

let failed = 0;

export async function check(name, body) {
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (error) {
    failed++;
    const why = String(error?.stack ?? error).replaceAll('\n', ' | ');
    console.log(`not ok ${name}: ${why}`);
  }
}

export function equal(got, want, what = 'value') {
  if (!isDeepStrictEqual(got, want))
    throw new Error(`${what}: got ${JSON.stringify(got)}, ` +
                    `want ${JSON.stringify(want)}`);
}

export function truthy(got, what) {
  if (!got)
    throw new Error(`${what}: got ${JSON.stringify(got)}`);
}

// Whatever hangs, ends.
export function limit(seconds) {
  setTimeout(() => {
    console.log(`not ok time: not done after ${seconds} s`);
    process.exit(1);
  }, seconds * 1000).unref();
}

export function done() {
  process.exit(failed ? 1 : 0);
}
