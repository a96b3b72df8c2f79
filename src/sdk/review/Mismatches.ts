/** Collects the differences between an order and its request, so that one review reports all of them. */
import { isAddress, sameAddress } from "../model/Address.ts"
import type { Mismatch } from "../model/Errors.ts"

type Value = string | number | bigint | boolean | undefined

/** Compares two values. Addresses may differ in case. */
export const sameValue = (a: Value, b: Value): boolean => a === b || (isAddress(a) && isAddress(b) && sameAddress(a, b))

/**
 * @param prefix - precedes the name of every field
 * @param unconfirmed - `warn` to record a fact that nothing confirms as a doubt, `refuse` to record it as a mismatch
 */
export const collector = (prefix = "", unconfirmed: "refuse" | "warn" = "refuse") => {
  const found: Array<Mismatch> = []
  const doubts: Array<string> = []
  const differs = (field: string, detail: string, limit?: Pick<Mismatch, "limit">) =>
    found.push({ field: prefix + field, detail, ...limit })
  const equal = (field: string, actual: Value, expected: Value) => {
    if (!sameValue(actual, expected)) differs(field, `is ${actual}, expected ${expected}`)
  }
  return {
    found,
    /** Facts that only the service states. */
    doubts,
    /** Requires that two values are the same. */
    equal,
    /** Requires that a condition holds. `detail` says what is wrong otherwise. */
    must: (holds: boolean, field: string, detail: string) => {
      if (!holds) differs(field, detail)
    },
    /** Requires that an order keeps a limit of the review. */
    limit: (holds: boolean, field: string, detail: string) => {
      if (!holds) differs(field, detail, { limit: true })
    },
    /** Requires the known value. Without one, only the service states the actual value, which means `claim`. */
    confirm: (field: string, actual: Value, expected: Value, claim: string) => {
      const doubt = `only the service says ${claim}`
      if (expected !== undefined) equal(field, actual, expected)
      else if (unconfirmed === "warn") doubts.push(doubt)
      else differs(field, `is not confirmed: ${doubt}`)
    }
  }
}

export type Collector = ReturnType<typeof collector>

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null

/** Requires that two values are the same in every member. */
export const equalTree = (check: Collector, field: string, actual: unknown, expected: unknown): void => {
  if (!isTree(actual) || !isTree(expected)) {
    check.equal(field, String(actual), String(expected))
    return
  }
  check.equal(field, Object.keys(actual).toSorted().join(), Object.keys(expected).toSorted().join())
  const members = new Map<string, unknown>(Object.entries(actual))
  for (const [key, member] of Object.entries(expected)) equalTree(check, `${field}.${key}`, members.get(key), member)
}
