/** Owners of listed tokens who make their own sweeps fail once the lane has sent them. */
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, type Hex, parseEther, type PrivateKeyAccount, zeroAddress } from "viem"
import { sweepDelegate } from "../../src/adapters/evm/abi/contracts.generated.ts"
import { units } from "../../src/devnet/Tokens.ts"
import * as Budgets from "./Budgets.ts"
import type { Attack, Fight } from "./Fight.ts"
import { mintFor } from "./MempoolAttacks.ts"
import { SPOILED } from "./Reach.ts"
import type * as Sender from "./Sender.ts"

/** Whole DAI of a sweep. */
const WHOLE = 60n
const AMOUNT = units("DAI", WHOLE)

/** Native currency of an owner who sends transactions. */
const OWN_GAS = parseEther("1")

/**
 * A deed of each owner ahead of the lane's transaction, which waits for it in the harness, as it would not on a network. So a call that
 * is the owner's first transaction is signed before, and those of all owners are one request to the node.
 */
type Ahead =
  | { readonly _tag: "First"; readonly call: (fight: Fight) => Omit<Sender.Call, "tip"> }
  | {
      readonly _tag: "Each"
      readonly act: (fight: Fight, owner: PrivateKeyAccount, tip: bigint) => Effect.Effect<unknown, unknown>
    }

interface Plan {
  readonly ahead: Ahead
  /** True if the owners' accounts run the delegate already, after a sweep that went well. */
  readonly isDelegated?: boolean
  readonly isAttributed?: boolean
  /** Sweeps one after another. Default: 1. */
  readonly rounds?: number
  /** Default: the size of the attack. */
  readonly owners?: number
}

const nonceOf = Effect.fnUntraced(function* (fight: Fight, owner: PrivateKeyAccount) {
  const [row] = yield* fight.world.sql<{ nonce: string }>`
    SELECT order_nonce::text AS nonce FROM orchestrator.intent_states
    WHERE source_chain_id = ${fight.place.dev.chain.id} AND owner = ${owner.address}
    ORDER BY number DESC LIMIT 1`
  if (row === undefined) return yield* Effect.die(new Error(`${owner.address} has no order`))
  return BigInt(row.nonce)
})

/** Each owner whose sweep a transaction carries runs ahead of it once. */
const runAhead = (
  fight: Fight,
  { ahead, isAttributed = false, isDelegated = false, owners: count, rounds = 1 }: Plan
) =>
  Effect.gen(function* () {
    const { DAI } = fight.place.dev.tokens
    for (let round = 0; round < rounds; round++) {
      const owners = yield* fight.owners(count ?? fight.size)
      yield* fight.purse.endow(owners, { native: OWN_GAS, token: "DAI", whole: 2n * WHOLE })
      const order = { tokenIn: DAI, amountIn: AMOUNT, isAttributed }
      if (isDelegated) {
        yield* fight.submit(yield* fight.quotes(owners, order))
        yield* fight.concluded
      }
      const done = new Set<Hex>()
      yield* Effect.gen(function* () {
        yield* fight.aheadOfSends((tip, raw) => {
          const carried = owners.filter(
            ({ address }) => !done.has(address) && raw.includes(address.slice(2).toLowerCase())
          )
          if (carried.length === 0) return undefined
          for (const { address } of carried) done.add(address)
          return ahead._tag === "First"
            ? fight.sendFirst(carried, { ...ahead.call(fight), tip })
            : Effect.forEach(carried, (owner) => ahead.act(fight, owner, tip), {
                concurrency: "unbounded",
                discard: true
              })
        })
        const sweeps = yield* fight.quotes(owners, order)
        if (ahead._tag === "First") yield* fight.signFirst(owners, { ...ahead.call(fight), tip: fight.tip() })
        yield* fight.submit(sweeps)
        yield* fight.concluded
      }).pipe(Effect.scoped)
    }
  })

const listed = (name: string, about: string, plan: Plan): Attack => ({
  name,
  about,
  tokens: "listed",
  expects: SPOILED,
  play: (fight) => runAhead(fight, plan)
})

const nothing: Ahead = { _tag: "First", call: ({ purse }) => ({ to: purse.account.address, gas: 21_000n }) }

const drained: Ahead = {
  _tag: "First",
  call: ({ place, purse }) => ({
    to: place.dev.tokens.DAI,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [purse.account.address, 2n * AMOUNT] }),
    gas: 80_000n
  })
}

const cancelled: Ahead = {
  _tag: "Each",
  act: (fight, owner, tip) =>
    Effect.flatMap(nonceOf(fight, owner), (nonce) =>
      fight.sendAs(owner, {
        to: owner.address,
        data: encodeFunctionData({ abi: sweepDelegate.abi, functionName: "cancel", args: [nonce] }),
        gas: 120_000n,
        tip
      })
    )
}

/** A transaction of the purse carries the authorization, so that the owner needs no native currency. */
const revoked: Ahead = {
  _tag: "Each",
  act: (fight, owner, tip) =>
    fight.place.dev.node.ask("revoke", async (node) => {
      const nonce = await node.getTransactionCount({ address: owner.address })
      const chainId = fight.place.dev.chain.id
      const authorization = await owner.signAuthorization({ address: zeroAddress, chainId, nonce })
      await fight.purse.authorize([authorization], tip)
    })
}

/** The token that is swept into is the attacker's, and a switch breaks it. */
const hostileOutput: Attack = {
  name: "hostile-output",
  about: "DAI is swept into a token of the attacker's, which a switch breaks ahead of the lane's transaction.",
  tokens: "unlisted",
  expects: SPOILED,
  play: (fight) =>
    Effect.gen(function* () {
      const token = yield* fight.token()
      yield* mintFor(token, [fight.purse.account.address])
      const owners = yield* fight.owners(fight.size)
      yield* Effect.forEach(owners, (owner) => fight.purse.giveToken(owner, "DAI", WHOLE), {
        concurrency: "unbounded",
        discard: true
      })
      yield* fight.aheadOfSends((tip) => token.turnSoon({ trigger: "always", deed: "revert" }, tip))
      yield* fight.submit(
        yield* fight.quotes(owners, { tokenIn: fight.place.dev.tokens.DAI, amountIn: AMOUNT, tokenOut: token.address })
      )
      yield* fight.concluded
      yield* token.turn({ trigger: "never", deed: "revert" })
      yield* token.pool.pull()
    }).pipe(Effect.scoped)
}

/** Many more new owners than the budget of first sweeps has room for. */
const NEWCOMERS = 240

/** Most of its sweeps still wait for a budget when it ends, and come back each minute until their orders expire. */
export const NEWCOMERS_ATTACK: Attack = {
  ...listed("listed-sybils", "240 new owners of listed tokens spend their nonces ahead of the lane, and 240 more.", {
    ahead: nothing,
    owners: NEWCOMERS,
    rounds: 2
  }),
  budget: Budgets.FIRST_SWEEPS,
  settings: () => Effect.succeed({ FIRST_SWEEPS_LOSS_BUDGET_WEI: String(Budgets.FIRST_SWEEPS) })
}

/** Failures of a builder that were once enough to have all of its sweeps refused for an hour. */
const BUILDER_FAILURES = 52

export const OWNER_ATTACKS: ReadonlyArray<Attack> = [
  listed(
    "nonce-in-mempool",
    "The owner spends its nonce ahead of the lane, so that its authorization does not count.",
    {
      ahead: nothing
    }
  ),
  listed("drained-in-mempool", "The owner moves its tokens away ahead of the lane's transaction.", { ahead: drained }),
  listed("repeated-drain", "The same as drained-in-mempool, by other owners each time.", { ahead: drained, rounds: 3 }),
  listed("cancelled-in-mempool", "A delegated owner cancels its order ahead of the lane's transaction.", {
    ahead: cancelled,
    isDelegated: true
  }),
  listed("revoked-in-mempool", "The owner revokes its delegation ahead of the lane's transaction.", {
    ahead: revoked,
    isDelegated: true
  }),
  listed("builder-key", "52 sweeps with a builder's public key fail, while honest sweeps use the same key.", {
    ahead: drained,
    isAttributed: true,
    owners: BUILDER_FAILURES
  }),
  hostileOutput
]
