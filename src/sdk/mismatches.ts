/** Collects what does not match, so that one review tells all of it. */
import type { Mismatch } from "./errors.ts"
import type { Address } from "./types.ts"

type Value = string | number | bigint | boolean | undefined

const isAddressText = (value: Value): value is Address => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)

/** Equal; addresses in any case. */
export const same = (a: Value, b: Value): boolean =>
  a === b || (isAddressText(a) && isAddressText(b) && a.toLowerCase() === b.toLowerCase())

export const collector = () => {
  const found: Array<Mismatch> = []
  return {
    found,
    /** `actual` must be `expected`. */
    equal: (field: string, actual: Value, expected: Value) => {
      if (!same(actual, expected)) found.push({ field, detail: `is ${actual}, expected ${expected}` })
    },
    /** `holds` must be true; `detail` says what is wrong otherwise. */
    must: (holds: boolean, field: string, detail: string) => {
      if (!holds) found.push({ field, detail })
    }
  }
}

export type Collector = ReturnType<typeof collector>
