/** Parts that an address plays in the deployment on a chain. */
import type { Address } from "../../domain/Address.ts"
import { type Chain, spokePools, vaults } from "../../domain/Chain.ts"
import type { AddressRole } from "../../domain/SweepStory.ts"

/** Total. `isLane`: the address is an account of the relayer on the chain. */
export const rolesIn = (chain: Chain, address: Address, isLane: boolean): ReadonlyArray<AddressRole> => {
  const { delegate, entry, guard } = chain.contracts
  const parts: ReadonlyArray<readonly [AddressRole["role"], boolean]> = [
    ["lane", isLane],
    ["delegate", address === delegate],
    ["guard", address === guard],
    ["entry", address === entry],
    ["fee_recipient", address === chain.feeRecipient],
    ["builder_vault", vaults(chain).includes(address)],
    ["router", address === chain.swapRouter],
    ["bridge", spokePools(chain).includes(address) || address === chain.spokePoolPeriphery]
  ]
  const token = chain.tokens.find((each) => each.address === address)
  return [
    ...parts.filter(([, is]) => is).map(([role]) => ({ role, chainId: chain.id })),
    ...(token === undefined ? [] : [{ role: "token" as const, chainId: chain.id, name: token.symbol }])
  ]
}
