/** Thread that mines the blocks of {@link Market}. One that fails is tried again at its next turn. */
import { setTimeout } from "node:timers/promises"
import { parseEther, parseGwei } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { ChainId } from "../../src/domain/ChainId.ts"
import * as LocalNode from "../../src/devnet/LocalNode.ts"
import * as Course from "./Course.ts"

declare const self: Worker

/** Request to the thread: a node whose blocks it mines from now on, or the course of its base fee. */
export type Task =
  | { readonly kind: "mine"; readonly chainId: ChainId; readonly rpcUrl: string; readonly course: Course.Course }
  | { readonly kind: "follow"; readonly course: Course.Course }

/** A block that it mined at `at`, Unix time in milliseconds, with its base fee in wei per gas. */
export interface Block {
  readonly at: number
  readonly baseFee: bigint
}

/** From the beginning of a block to that of the next. */
const BLOCK_MILLIS = 200

/** Priority fee of the transaction of somebody else, in wei per gas. */
const TIP = parseGwei("1")

/** Above every base fee of a run. */
const FEE_CAP = parseGwei("2000")

/** Of this thread, with the part of a millisecond. */
const unixMillis = () => performance.timeOrigin + performance.now()

let course = Course.level(0n)

const mine = async ({ chainId, rpcUrl }: Extract<Task, { readonly kind: "mine" }>) => {
  const node = LocalNode.clientOf(chainId, rpcUrl)
  const somebody = privateKeyToAccount(generatePrivateKey())
  await node.setBalance({ address: somebody.address, value: parseEther("1000000") })
  let nonce = 0
  const block = async () => {
    const serializedTransaction = await somebody.signTransaction({
      type: "eip1559",
      chainId,
      nonce,
      to: somebody.address,
      gas: 21_000n,
      maxFeePerGas: FEE_CAP,
      maxPriorityFeePerGas: TIP
    })
    await node.sendRawTransaction({ serializedTransaction })
    nonce += 1
    const at = unixMillis()
    const baseFee = Course.at(course, at)
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee })
    await node.mine({ blocks: 1 })
    self.postMessage({ at, baseFee } satisfies Block, [])
    // The node tells what the next block will cost, as one of a public chain does. Blocks that are nearly empty would let it say less.
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: Course.at(course, at + BLOCK_MILLIS) })
  }
  for (;;) {
    const turn = unixMillis()
    await block().catch(() => undefined)
    await setTimeout(Math.max(0, turn + BLOCK_MILLIS - unixMillis()))
  }
}

self.addEventListener("message", ({ data }: MessageEvent<Task>) => {
  course = data.course
  if (data.kind === "mine") void mine(data)
})
