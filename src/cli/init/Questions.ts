/** The questions of `./sweep init` on a terminal. Flags that are given are not asked for again. */
import { Effect, Schema } from "effect"
import { Prompt } from "effect/cli"
import { KNOWN_CHAINS } from "../../catalog/KnownChains.ts"
import * as Address from "../../domain/Address.ts"
import { type ChainAnswers, factOf, missingFacts, REQUIRED_FACTS } from "./Files.ts"

/** Answers that the flags give. */
export interface Given {
  readonly chains: ReadonlyArray<number>
  readonly rpcUrls: ReadonlyMap<number, ReadonlyArray<string>>
  readonly facts: ReadonlyMap<number, Readonly<Record<string, unknown>>>
  readonly feeRecipient: string | undefined
  readonly guardOwner: string | undefined
  readonly builderVault: string | undefined
}

const isAddress = Schema.is(Address.NonZeroAddress)

const CUSTOM = 0

const address = (message: string) =>
  Prompt.String({
    message,
    validate: (text) =>
      isAddress(text.trim()) ? Effect.succeed(text.trim()) : Effect.fail("expected an address of 0x and 40 hex digits")
  })

const isSameAccount = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Undefined for the fee recipient. */
const vault = (feeRecipient: string) =>
  Effect.map(
    Prompt.String({
      message:
        "Vault: address that holds builders' fees until they are paid (empty: the fee recipient, whose fees are then not sold)",
      default: "",
      validate: (text) => {
        const typed = text.trim()
        if (typed === "") return Effect.succeed("")
        if (!isAddress(typed)) return Effect.fail("expected an address of 0x and 40 hex digits, or nothing")
        return isSameAccount(typed, feeRecipient)
          ? Effect.fail("expected another account than the fee recipient, or nothing")
          : Effect.succeed(typed)
      }
    }),
    (typed) => (typed === "" ? undefined : typed)
  )

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

export const urlsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/[\s,]+/)
    .map((url) => url.trim())
    .filter((url) => url !== "")

const chainIds = Effect.gen(function* () {
  const chosen = yield* Prompt.MultiSelect({
    message: "Chains to serve (space selects, return confirms)",
    min: 1,
    choices: [
      ...Object.values(KNOWN_CHAINS).map(({ id, name }) => ({ title: `${name} (${id})`, value: id })),
      { title: "another chain", value: CUSTOM }
    ]
  })
  if (!chosen.includes(CUSTOM)) return chosen
  const id = yield* Prompt.Int({ message: "Id of the other chain (EIP-155)", min: 1, max: Number.MAX_SAFE_INTEGER })
  return [...chosen.filter((each) => each !== CUSTOM), id]
})

const nameOf = (id: number): string => KNOWN_CHAINS[id]?.name ?? `chain ${id}`

const endpoints = (id: number) =>
  Effect.map(
    Prompt.String({
      message: `JSON-RPC endpoints of ${nameOf(id)}, best of two providers, separated by commas`,
      validate: (text) =>
        urlsOf(text).length > 0 && urlsOf(text).every(isHttp)
          ? Effect.succeed(text)
          : Effect.fail("expected one or more http or https URLs")
    }),
    urlsOf
  )

const askFacts = Effect.fnUntraced(function* (id: number, facts: Readonly<Record<string, unknown>>) {
  const missing = missingFacts({ id, facts })
  const answers: Record<string, unknown> = {}
  for (const { field, question } of REQUIRED_FACTS) {
    if (!missing.includes(field)) continue
    answers[field] = factOf(yield* Prompt.String({ message: `${nameOf(id)}: ${question}` }))
  }
  return { ...facts, ...answers }
})

/** Asks for all that the flags leave open. */
export const chains = Effect.fnUntraced(function* (given: Given) {
  const ids = given.chains.length > 0 ? given.chains : yield* chainIds
  const answers: Array<Pick<ChainAnswers, "facts" | "id" | "rpcUrls">> = []
  for (const id of ids) {
    const rpcUrls = given.rpcUrls.get(id) ?? (yield* endpoints(id))
    answers.push({ id, rpcUrls, facts: yield* askFacts(id, given.facts.get(id) ?? {}) })
  }
  const feeRecipient = given.feeRecipient ?? (yield* address("Address that receives the protocol fees"))
  const guardOwner = given.guardOwner ?? (yield* address("Address that administers the swap targets. Use a multisig"))
  const isGiven = given.builderVault !== undefined && !isSameAccount(given.builderVault, feeRecipient)
  const builderVault = isGiven ? given.builderVault : yield* vault(feeRecipient)
  return answers.map((answer): ChainAnswers => ({ ...answer, feeRecipient, guardOwner, builderVault }))
})

/** Number of lanes to generate. */
export const lanes = Prompt.Int({ message: "Number of lanes to generate keys for", default: 2, min: 1, max: 20 })

/** Empty for the database of Docker Compose. */
export const databaseUrl = Prompt.String({
  message: "DATABASE_URL (empty for that of Docker Compose)",
  default: "",
  validate: (text) =>
    text === "" || /^postgres(ql)?:\/\//.test(text)
      ? Effect.succeed(text)
      : Effect.fail("expected a URL that begins with postgres://")
})
