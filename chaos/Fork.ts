/** Another chain in place of blocks that a snapshot took away. */
import { Effect } from "effect"
import { encodeFunctionData, type Hex, parseAbi, parseGwei } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { DevChainFailed } from "../src/devnet/LocalNode.ts"
import { type Place, TOKEN_IN } from "./Holdings.ts"

/** Outcomes for the transactions of the replaced blocks. */
export const KINDS = ["vanished", "reordered", "moved", "reverted"] as const
export type Kind = (typeof KINDS)[number]

const mintAbi = parseAbi(["function mint(address to, uint256 amount)"])

export const mine = ({ dev }: Place, blocks: number) => dev.node.ask("mine", (node) => node.mine({ blocks }))

const send = ({ dev }: Place, raws: ReadonlyArray<Hex>) =>
  Effect.forEach(raws, (serializedTransaction) =>
    dev.node
      .ask("send", (node) => node.sendRawTransaction({ serializedTransaction }))
      // The service was faster.
      .pipe(Effect.ignore)
  )

/** A transaction of somebody else that logs, and goes into the next block before all others. */
const intrude = ({ dev }: Place) =>
  dev.node.ask("intrude", (node) =>
    node.sendTransaction({
      account: privateKeyToAccount(dev.deployer.privateKey),
      chain: node.chain,
      to: dev.tokens[TOKEN_IN],
      data: encodeFunctionData({ abi: mintAbi, functionName: "mint", args: [dev.deployer.address, 1n] }),
      maxFeePerGas: parseGwei("100"),
      maxPriorityFeePerGas: parseGwei("50")
    })
  )

/** The hash of the canonical block that holds the transaction. */
export const blockOf = ({ dev }: Place, hash: Hex) =>
  dev.node.ask("find", (node) =>
    node.getTransactionReceipt({ hash }).then(
      ({ blockHash }) => blockHash,
      () => undefined
    )
  )

export const isPending = ({ dev }: Place, hash: Hex) =>
  dev.node.ask("find", (node) =>
    node.getTransaction({ hash }).then(
      ({ blockHash }) => blockHash === null,
      () => false
    )
  )

/** Mines another chain, one block longer than the part that is gone. `drain` takes what the first transaction needs. */
export const replace = Effect.fnUntraced(function* (
  place: Place,
  { depth, kind }: { readonly depth: number; readonly kind: Kind },
  raws: ReadonlyArray<Hex>,
  drain: Effect.Effect<unknown, DevChainFailed>
) {
  switch (kind) {
    case "vanished":
      return yield* mine(place, depth + 1)
    case "moved":
      yield* mine(place, 1)
      yield* send(place, raws)
      return yield* mine(place, depth)
    case "reordered":
      yield* intrude(place)
      yield* send(place, raws.toReversed())
      return yield* mine(place, depth + 1)
    case "reverted":
      yield* drain
      yield* send(place, raws)
      return yield* mine(place, depth + 1)
  }
})
