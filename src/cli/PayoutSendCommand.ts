/** `./sweep payouts send`: pays a batch with the vault's key, which stays in this process. */
import { Config, Console, Effect, Layer, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { chainOf } from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import * as JsonRpcChains from "../adapters/evm/chains/Chains.ts"
import * as ConfiguredKey from "../adapters/signers/ConfiguredKey.ts"
import * as VaultAccount from "../adapters/evm/keys/VaultAccount.ts"
import * as AllScreening from "../adapters/screening/All.ts"
import { type PaymentProgress, PayoutSender } from "../builder/payout/PayoutSender.ts"
import { chains, ChainsConfig } from "../config/Chains.ts"
import { payouts } from "../config/Payouts.ts"
import { PayoutBatch } from "../domain/Payout.ts"
import * as BuilderClient from "./BuilderClient.ts"
import * as Keys from "./Keys.ts"
import * as LocalNetwork from "./LocalNetwork.ts"
import { json, printed } from "./Output.ts"
import { asFacts } from "./PayoutTables.ts"
import * as PayoutRegisterHttp from "./PayoutRegisterHttp.ts"

const told = (progress: PaymentProgress): string => {
  switch (progress._tag) {
    case "Approving":
      return `approving Permit2 ${progress.permit2} to move the vault's ${progress.token}, once for all batches …`
    case "Approved":
      return `approved by ${progress.txHash}`
    case "Recorded":
      return `signed and recorded ${progress.txHash}: ${progress.total} in ${progress.lines} transfers`
    case "Broadcast":
      return `broadcast ${progress.txHash}`
    case "Mined":
      return `mined ${progress.txHash}`
  }
}

/** CHAINS_FILE if set. Otherwise the file of the local network, if the backend is that network's. */
const chainsFile = Effect.gen(function* () {
  const set = yield* Config.option(Config.NonEmptyString(chains.chainsFile.name))
  if (Option.isSome(set)) return set.value
  const isTold = Option.isSome(yield* Config.option(Config.NonEmptyString("BUILDER_URL")))
  const local = isTold ? Option.none() : yield* LocalNetwork.running
  return Option.isSome(local) ? local.value.chainsFile : (yield* ChainsConfig).chainsFile
})

const nodes = Effect.gen(function* () {
  const { domainName } = yield* ChainsConfig
  const entries = yield* ChainsFile.read(yield* chainsFile)
  return JsonRpcChains.layer(
    entries.map((entry) => ({
      chain: chainOf(entry, domainName),
      rpcUrls: entry.rpcUrls,
      broadcastUrls: entry.broadcastUrls
    }))
  ).pipe(Layer.provide(FetchHttpClient.layer))
})

export const send = Command.make(
  "send",
  { id: Argument.String("batch").pipe(Argument.withDescription("The batch's id, as `open` printed it")), json },
  ({ id, json }) =>
    Effect.gen(function* () {
      const key = yield* Keys.parseOne("VAULT_KEY", "the key of the vault", yield* payouts.vaultKey.config)
      const vault = VaultAccount.layer(ConfiguredKey.make(key, yield* Keys.options)).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
      const connection = yield* BuilderClient.connect
      const sender = PayoutSender.layer().pipe(
        Layer.provide([PayoutRegisterHttp.layer(connection), vault, AllScreening.layerOracle()]),
        Layer.provide(yield* nodes)
      )
      const paid = yield* Effect.flatMap(PayoutSender, ({ send }) =>
        send(id, (progress) => Console.error(told(progress)))
      ).pipe(Effect.provide(sender))
      yield* printed(PayoutBatch, paid, json, asFacts)
    })
).pipe(
  Command.withDescription(
    "Pay a batch in one transaction signed with VAULT_KEY, and book it. Safe to run again after a crash: it pays once"
  ),
  Command.withExamples([
    {
      command: "VAULT_KEY=0x… sweep payouts send 4f6c…",
      description: "Pay a batch. CHAINS_FILE must list a node of its chain"
    }
  ])
)
