/** Readers of JSON values. A reader returns a typed value, or throws `MalformedAnswerError` with the place in the body. */
import { getAddress } from "viem"
import type { Address } from "../model/Address.ts"
import { MalformedAnswerError } from "../model/Errors.ts"
import type { Hex } from "../model/Hex.ts"

/** Reads the value at a path such as `order.amountIn`. */
export type Read<A> = (value: unknown, path: string) => A

const reader =
  <A>(expected: string, is: (value: unknown) => value is A): Read<A> =>
  (value, path) => {
    if (!is(value)) throw new MalformedAnswerError(path, expected)
    return value
  }

const matching = (pattern: RegExp) => (value: unknown) => typeof value === "string" && pattern.test(value)

export const object = reader(
  "an object",
  (value): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null && !Array.isArray(value)
)
export const text = reader("a string", (value): value is string => typeof value === "string")
export const boolean = reader("a boolean", (value): value is boolean => typeof value === "boolean")
export const safeInteger = reader(
  "a non-negative integer",
  (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0
)
export const bytes = reader("bytes", (value): value is Hex => matching(/^0x(?:[0-9a-fA-F]{2})*$/)(value))
export const hash = reader("a hash", (value): value is Hex => matching(/^0x[0-9a-fA-F]{64}$/)(value))
const anyCaseAddress = reader("an address", (value): value is Address => matching(/^0x[0-9a-fA-F]{40}$/)(value))
const decimal = reader("a decimal string", (value): value is string => matching(/^[0-9]{1,78}$/)(value))
const sumText = reader("a decimal string", (value): value is string => matching(/^[0-9]{1,80}$/)(value))

/** Takes any case and returns the address with its checksum (EIP-55). */
export const address: Read<Address> = (value, path) => getAddress(anyCaseAddress(value, path).toLowerCase())

/** A sum of up to 50 amounts, which may exceed a uint256. */
export const sum: Read<bigint> = (value, path) => BigInt(sumText(value, path))

const MAX_UINT256 = 2n ** 256n - 1n

export const uint256: Read<bigint> = (value, path) => {
  const amount = BigInt(decimal(value, path))
  if (amount > MAX_UINT256) throw new MalformedAnswerError(path, "a uint256")
  return amount
}

/** A safe integer, also as a decimal string. */
export const integerOrDecimal: Read<number> = (value, path) =>
  safeInteger(typeof value === "string" ? Number(decimal(value, path)) : value, path)

export const oneOf = <const A extends ReadonlyArray<string>>(values: A) =>
  reader(`one of ${values.join(", ")}`, (value): value is A[number] => values.some((each) => each === value))

export const nullable =
  <A>(read: Read<A>): Read<A | null> =>
  (value, path) =>
    value === null ? null : read(value, path)

export const list =
  <A>(read: Read<A>): Read<ReadonlyArray<A>> =>
  (value, path) => {
    if (!Array.isArray(value)) throw new MalformedAnswerError(path, "a list")
    return value.map((each, index) => read(each, `${path}[${index}]`))
  }

type Fields = Readonly<Record<string, Read<unknown>>>

type ValuesOf<F extends Fields> = { readonly [Key in keyof F]: F[Key] extends Read<infer A> ? A : never }

/** Reads an object with these members, and any others, which are left out. An absent optional member stays absent. */
export const struct =
  <F extends Fields, O extends Fields = {}>(fields: F, optional?: O): Read<ValuesOf<F> & Partial<ValuesOf<O>>> =>
  (value, path) => {
    const given = object(value, path)
    const found = Object.entries({ ...optional, ...fields }).flatMap(([key, read]) =>
      given[key] === undefined && !(key in fields)
        ? []
        : [[key, read(given[key], path === "" ? key : `${path}.${key}`)]]
    )
    return Object.fromEntries(found)
  }
