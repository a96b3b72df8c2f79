/** Collects the differences between an order and its request, so that one review reports all of them. */
import { isAddress } from "../model/Address.ts"
import { type Mismatch, OrderMismatchError } from "../model/Errors.ts"

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const namesOf = (tree: object): string => Object.keys(tree).toSorted().join()

/** Addresses may differ in case. */
const textOf = (value: unknown): string => (isAddress(value) ? value.toLowerCase() : String(value))

/**
 * @param prefix - precedes the name of every field
 * @param unconfirmed - `warn` to record a fact that nothing confirms as a doubt, `refuse` to record it as a mismatch
 */
export const collector = (prefix = "", unconfirmed: "refuse" | "warn" = "refuse") => {
  const found: Array<Mismatch> = []
  const doubts: Array<string> = []
  const differs = (field: string, detail: string, limit?: Pick<Mismatch, "limit">) =>
    found.push({ field: prefix + field, detail, ...limit })
  const equal = (field: string, actual: unknown, expected: unknown): void => {
    if (isTree(actual) && isTree(expected)) {
      equal(field, namesOf(actual), namesOf(expected))
      members(field, actual, expected)
    } else if (isTree(actual) || isTree(expected) || textOf(actual) !== textOf(expected)) {
      differs(field, `is ${actual}, expected ${expected}`)
    }
  }
  const members = <Expected extends object>(
    place: string,
    actual: { readonly [Name in keyof Expected]?: unknown },
    expected: Expected
  ): void => {
    for (const [name, value] of Object.entries(expected)) {
      equal(`${place}.${name}`, actual[name as keyof Expected], value)
    }
  }
  return {
    found,
    /** Facts that only the service states. */
    doubts,
    /** Requires that two values are the same, in every member. */
    equal,
    /** Requires the same of some members of an object. */
    members,
    /** Requires that a condition holds. `detail` says what is wrong otherwise. */
    must: (holds: boolean, field: string, detail: string) => {
      if (!holds) differs(field, detail)
    },
    /** Requires that an order keeps a limit of the review. */
    limit: (holds: boolean, field: string, detail: string) => {
      if (!holds) differs(field, detail, { limit: true })
    },
    /** Requires the known value. Without one, only the service states the actual value, which means `claim`. */
    confirm: (field: string, actual: unknown, expected: unknown, claim: string) => {
      const doubt = `only the service says ${claim}`
      if (expected !== undefined) equal(field, actual, expected)
      else if (unconfirmed === "warn") doubts.push(doubt)
      else differs(field, `is not confirmed: ${doubt}`)
    },
    /** Throws an {@link OrderMismatchError} if anything was found. */
    refuse: () => {
      if (found.length > 0) throw new OrderMismatchError(found)
    }
  }
}

export type Collector = ReturnType<typeof collector>
