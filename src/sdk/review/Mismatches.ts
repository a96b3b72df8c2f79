/** Collects the differences between an order and its request, so that one review reports all of them. */
import type { Address } from "../model/Address.ts"
import type { Mismatch } from "../model/Errors.ts"

type Value = string | number | bigint | boolean | undefined

const isAddressText = (value: Value): value is Address => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)

/** Compares two values. Addresses may differ in case. */
export const sameValue = (a: Value, b: Value): boolean =>
  a === b || (isAddressText(a) && isAddressText(b) && a.toLowerCase() === b.toLowerCase())

export const collector = () => {
  const found: Array<Mismatch> = []
  return {
    found,
    /** Requires that two values are the same. */
    equal: (field: string, actual: Value, expected: Value) => {
      if (!sameValue(actual, expected)) found.push({ field, detail: `is ${actual}, expected ${expected}` })
    },
    /** Requires that a condition holds. `detail` says what is wrong otherwise. */
    must: (holds: boolean, field: string, detail: string) => {
      if (!holds) found.push({ field, detail })
    }
  }
}

export type Collector = ReturnType<typeof collector>
