/** `./sweep sweep`: sweeps tokens of one account, on any chains, with one signature of its private key. */
import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { privateKeyToAccount } from "viem/accounts"
import { wallet } from "../config/Wallet.ts"
import * as Address from "../domain/Address.ts"
import { MAX_TOKENS } from "../domain/SweepQuotes.ts"
import {
  createSweepClient,
  type Intent,
  reviewSweepQuotes,
  type ReviewOptions,
  signBatch,
  type TokenRequest
} from "../sdk/index.ts"
import * as PrivateKeys from "./PrivateKeys.ts"
import * as SweepService from "./SweepService.ts"
import { amounts, asOutcome, asReview } from "./SweepTokensTables.ts"
import { UsageError } from "./UsageError.ts"

/** The sweep was refused, could not be signed, or did not deliver every token. */
export class SweepTokensFailed extends Schema.TaggedError<SweepTokensFailed>()("SweepTokensFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

const CHAIN_AND_ADDRESS = /^([1-9][0-9]{0,15}):(0x[0-9a-fA-F]{40})$/
const TOKEN = /^([1-9][0-9]{0,15}):(0x[0-9a-fA-F]{40})(?::(max|[0-9]{1,78}))?$/

interface OnChain {
  readonly chainId: number
  readonly address: Address.Address
}

const matching = (pattern: RegExp, what: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message: `expected ${what}` }))

const onChain = (text: string): OnChain => {
  const [chainId = "", address = ""] = text.split(":")
  return { chainId: Number(chainId), address: Address.of(address as `0x${string}`) }
}

const tokenOf = (text: string): TokenRequest => {
  const { address, chainId } = onChain(text)
  const amount = text.split(":")[2] ?? "max"
  return { chainId, token: address, amount: amount === "max" ? amount : BigInt(amount) }
}

const parameters = {
  into: Flag.String("into").pipe(
    Flag.withSchema(matching(CHAIN_AND_ADDRESS, "<chain id>:<token address>")),
    Flag.withDescription("Token to receive, as <chain id>:<token address>")
  ),
  to: Flag.String("to").pipe(
    Flag.withSchema(matching(/^0x[0-9a-fA-F]{40}$/, "an address")),
    Flag.withDescription("Receiver on the destination chain. Default: the owner"),
    Flag.optional
  ),
  delegates: Flag.String("delegate").pipe(
    Flag.withSchema(matching(CHAIN_AND_ADDRESS, "<chain id>:<address>")),
    Flag.withDescription(
      "Delegate that the operator publishes for a chain, as <chain id>:<address>. Once for each chain of the tokens. Default: those of the local network"
    ),
    Flag.atLeast(0)
  ),
  maxFeeBps: Flag.Int("max-fee-bps").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))),
    Flag.withDescription("Leaves out a token whose fees exceed this share, in basis points (default: 500)"),
    Flag.withDefault(500)
  ),
  unconfirmed: Flag.Boolean("unconfirmed").pipe(
    Flag.withDescription("Accept a router, pool or token that only the service states, with a warning"),
    Flag.withDefault(false)
  ),
  find: SweepService.find,
  yes: Flag.Boolean("yes").pipe(
    Flag.withDescription("Sign and submit. Without it, the command prints the reviewed orders and signs nothing"),
    Flag.withDefault(false)
  ),
  tokens: Argument.String("token").pipe(
    Argument.withSchema(matching(TOKEN, "<chain id>:<token address>, with :<amount> if not all of it")),
    Argument.withDescription(
      "Token to sweep, as <chain id>:<token address>, or with :<amount> in its smallest unit (default: every token that is worth sweeping)"
    ),
    Argument.variadic({ min: 0, max: MAX_TOKENS })
  )
}

const called = SweepService.called((detail) => new SweepTokensFailed({ detail }))

const OTHER_NAME =
  "If the operator publishes another EIP-712 domain name than the one that was signed, set EIP712_DOMAIN_NAME to it"

const submitted = SweepService.called(
  (detail) => new SweepTokensFailed({ detail: /\bbad_signature\b/.test(detail) ? `${detail}. ${OTHER_NAME}` : detail })
)

/** Fails if the delegate of a chain is not known: the account will run it, so it is never taken from a response. */
const withDelegates = Effect.fnUntraced(function* (tokens: ReadonlyArray<TokenRequest>, { delegates }: ReviewOptions) {
  const missing = [...new Set(tokens.map(({ chainId }) => chainId))].filter((id) => delegates?.[id] === undefined)
  if (missing.length === 0) return
  return yield* new UsageError({
    detail: `the delegate of chain ${missing.join(" and ")} is not known. Set --delegate ${missing[0]}:<address> to the one that the operator publishes`
  })
})

const undelivered = (intents: ReadonlyArray<Intent>): number =>
  intents.filter(({ status }) => status !== "delivered").length

export const sweepTokensCommand = Command.make(
  "sweep",
  parameters,
  ({ delegates, find, into, maxFeeBps, to, tokens, unconfirmed, yes }) =>
    Effect.gen(function* () {
      const [key] = yield* PrivateKeys.parse(
        "OWNER_KEY",
        "the private key of the account, 0x followed by 64 hex digits",
        Option.toArray(yield* wallet.ownerKey.config)
      )
      const { review: known, url } = yield* SweepService.located
      const account = privateKeyToAccount(Redacted.value(key))
      const client = createSweepClient({ orchestratorUrl: url })
      const chosen =
        tokens.length > 0
          ? tokens.map(tokenOf)
          : (yield* called((signal) =>
              client.sweepable(account.address, { signal, tokens: SweepService.asked(find) })
            )).tokens
              .filter(({ sweepable }) => sweepable)
              .slice(0, MAX_TOKENS)
              .map(({ address, chainId }): TokenRequest => ({ chainId, token: address, amount: "max" }))
      if (chosen.length === 0)
        return yield* new SweepTokensFailed({ detail: `${account.address} has no token that is worth sweeping` })
      const output = onChain(into)
      const request = {
        owner: account.address,
        tokens: chosen,
        tokenOut: output.address,
        destChainId: output.chainId,
        ...(Option.isSome(to) ? { destination: Address.of(to.value as `0x${string}`) } : {})
      }
      const named = Object.fromEntries(delegates.map(onChain).map(({ address, chainId }) => [chainId, address]))
      const options: ReviewOptions = {
        ...known,
        ...(unconfirmed ? { unconfirmed: "warn" } : {}),
        delegates: { ...known.delegates, ...named },
        maxFeeBps
      }
      yield* withDelegates(chosen, options)
      const quotes = yield* called((signal) => client.sweepQuotes(request, { signal }))
      const review = yield* called(() => Promise.try(() => reviewSweepQuotes(quotes, request, options)))
      const show = amounts(yield* called((signal) => client.tokens({ signal })))
      yield* Console.log(asReview(review, show))
      if (!yes) return yield* Console.error("nothing is signed. Run it again with --yes to sign and submit")
      const { id } = yield* submitted(async (signal) =>
        client.submitSweep(await signBatch(review, account), { signal })
      )
      yield* Console.error(`submitted ${id}`)
      const { intents } = yield* called((signal) => client.waitForSweep(id, { signal }))
      yield* Console.log(asOutcome(review, intents, show))
      const missing = undelivered(intents)
      if (missing > 0) return yield* new SweepTokensFailed({ detail: `${missing} of ${intents.length} tokens failed` })
    })
).pipe(
  Command.withDescription("Sweep tokens of one account, on any chains, with one signature of OWNER_KEY"),
  Command.withExamples([
    {
      command: "OWNER_KEY=0x… sweep sweep --into 31337:0x…",
      description: "Print the orders for every token that is worth sweeping, on the local network. Nothing is signed"
    },
    {
      command:
        "OWNER_KEY=0x… sweep sweep --into 8453:0x… --delegate 8453:0x… --delegate 10:0x… --yes 8453:0x… 10:0x…:5000000",
      description: "Sweep all of one token on Base and a part of one on Optimism"
    }
  ])
)
