/** {@link VaultBalances} by Multicall3. */
import { Layer } from "effect"
import { VaultBalances } from "../../../ports/builder/VaultBalances.ts"
import * as OwnerBalances from "./OwnerBalances.ts"

export const layer = Layer.succeed(VaultBalances, {
  read: (client, tokens) => OwnerBalances.read(client, tokens, client.chain.builderVault)
})
