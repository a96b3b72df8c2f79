/** Throughput of the node alone: the same kind of sweeps, signed in advance, one per transaction, sent directly to its pool. */
import { encodeFunctionData, type Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { sweepDelegate } from "../../src/adapters/evm/abi/contracts.generated.ts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import { cpuMillis } from "../ProcessTime.ts"
import { arrived, type Sweep } from "./Sweeps.ts"

/** Senders, so that the pool's bookkeeping for one of them is not what is measured. */
const SENDERS = 8
const GAS_LIMIT = 300_000n
const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

/** Transactions in one JSON-RPC request, and requests at once. */
const BATCH = 50
const CONNECTIONS = 4

const sendAll = async (rpcUrl: string, raws: ReadonlyArray<Hex>): Promise<void> => {
  const batches = Array.from({ length: Math.ceil(raws.length / BATCH) }, (_, index) =>
    raws.slice(index * BATCH, (index + 1) * BATCH)
  )
  const connection = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const body = batch.map((raw, id) => ({ jsonrpc: "2.0", id, method: "eth_sendRawTransaction", params: [raw] }))
      const response = await fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      if (text.includes('"error"')) throw new Error(`the node refused a transaction: ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
}

export interface Ceiling {
  /** From the first transaction handed over to the block that holds the last one. */
  readonly sweepsPerSecond: number
  /** CPU of the node. */
  readonly cpuMsPerSweep: number
}

export const measure = async (dev: DevChain, sweeps: ReadonlyArray<Sweep>): Promise<Ceiling> => {
  const { client } = dev.node
  const senders = Array.from({ length: SENDERS }, () => privateKeyToAccount(generatePrivateKey()))
  for (const { address } of senders) await client.setBalance({ address, value: 10n ** 24n })
  const nonces = senders.map(() => 0)
  const raws: Array<Hex> = []
  for (const [index, { authorization, intent, owner, signature }] of sweeps.entries()) {
    const at = index % SENDERS
    const sender = senders[at]
    if (sender === undefined) throw new Error("no sender")
    const nonce = nonces[at] ?? 0
    nonces[at] = nonce + 1
    raws.push(
      await sender.signTransaction({
        type: "eip7702",
        chainId: dev.chain.id,
        nonce,
        to: owner,
        data: encodeFunctionData({ abi: sweepDelegate.abi, functionName: "execute", args: [intent.order, signature] }),
        gas: GAS_LIMIT,
        ...FEES,
        authorizationList: [{ ...authorization, nonce: Number(authorization.nonce) }]
      })
    )
  }
  const cpu = cpuMillis(dev.node.pid)
  const started = performance.now()
  await sendAll(dev.rpcUrl, raws)
  const counts = async () =>
    Promise.all(senders.map(({ address }) => client.getTransactionCount({ address, blockTag: "latest" })))
  while ((await counts()).reduce((sum, count) => sum + count, 0) < raws.length) await Bun.sleep(20)
  const seconds = (performance.now() - started) / 1_000
  const spent = cpuMillis(dev.node.pid) - cpu
  const done = await arrived(dev, sweeps)
  if (done !== sweeps.length) throw new Error(`${sweeps.length - done} sweeps of the node's own run did not arrive`)
  return { sweepsPerSecond: sweeps.length / seconds, cpuMsPerSweep: spent / sweeps.length }
}
