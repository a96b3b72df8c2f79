/** Readers of JSON values. A reader returns a typed value, or throws `MalformedAnswerError` with the place in the body. */
import { getAddress } from "../core/Viem.ts"
import { type Address, isAddress } from "../model/Address.ts"
import { MalformedAnswerError } from "../model/Errors.ts"
import type { Hex } from "../model/Hex.ts"

/** Reads the value at a path such as `order.amountIn`. */
export type Read<A> = (value: unknown, path?: string) => A

const reader =
  <A extends Input, Input = unknown>(expected: string, is: (value: Input) => value is A) =>
  (value: Input, path = ""): A => {
    if (!is(value)) throw new MalformedAnswerError(path, expected)
    return value
  }

const matching = <A extends string>(expected: string, pattern: RegExp) =>
  reader(expected, (value): value is A => typeof value === "string" && pattern.test(value))

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
export const bytes = matching<Hex>("bytes", /^0x([0-9a-fA-F]{2})*$/)
export const hash = matching<Hex>("a hash", /^0x[0-9a-fA-F]{64}$/)
const anyCaseAddress = reader("an address", isAddress)
const decimal = matching("a decimal string", /^[0-9]{1,80}$/)

/** Takes any case and returns the address with its checksum (EIP-55). */
export const address: Read<Address> = (value, path) => getAddress(anyCaseAddress(value, path).toLowerCase())

/** A sum of up to 50 amounts, which may exceed a uint256. */
export const sum: Read<bigint> = (value, path) => BigInt(decimal(value, path))

const ofUint256 = reader("a uint256", (value: bigint): value is bigint => value >> 256n === 0n)

export const uint256: Read<bigint> = (value, path) => ofUint256(sum(value, path), path)

/** A safe integer, also as a decimal string. */
export const integerOrDecimal: Read<number> = (value, path) =>
  safeInteger(typeof value === "string" ? Number(decimal(value, path)) : value, path)

export const oneOf = <const A extends ReadonlyArray<string>>(values: A) =>
  matching<A[number]>(`one of ${values.join(", ")}`, new RegExp(`^(${values.join("|")})$`))

export const nullable =
  <A>(read: Read<A>): Read<A | null> =>
  (value, path) =>
    value === null ? null : read(value, path)

const array = reader("a list", (value): value is ReadonlyArray<unknown> => Array.isArray(value))

export const list =
  <A>(read: Read<A>): Read<ReadonlyArray<A>> =>
  (value, path = "") =>
    array(value, path).map((each, index) => read(each, `${path}[${index}]`))

/** Reads an object whose members have any names and the same form. */
export const record =
  <A>(read: Read<A>): Read<Readonly<Record<string, A>>> =>
  (value, path = "") =>
    Object.fromEntries(Object.entries(object(value, path)).map(([key, each]) => [key, read(each, `${path}.${key}`)]))

type Fields = Readonly<Record<string, Read<unknown>>>

type ValuesOf<F extends Fields> = { readonly [Key in keyof F]: F[Key] extends Read<infer A> ? A : never }

/** Reads an object with these members, and any others, which are left out. An absent optional member stays absent. */
export const struct =
  <F extends Fields, O extends Fields = {}>(fields: F, optional?: O): Read<ValuesOf<F> & Partial<ValuesOf<O>>> =>
  (value, path = "") => {
    const given = object(value, path)
    return Object.fromEntries(
      Object.entries({ ...optional, ...fields })
        .filter(([key]) => key in fields || given[key] !== undefined)
        .map(([key, read]) => [key, read(given[key], path === "" ? key : `${path}.${key}`)])
    ) as never
  }
