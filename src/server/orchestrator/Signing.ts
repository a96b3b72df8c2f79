/** Typed data as clients sign it: with the type of its domain, which `eth_signTypedData_v4` and `cast` require among the types. */
import type { SigningPayload } from "../../orchestrator/quote/Quoter.ts"
import type { WalletOffer } from "../../orchestrator/quote/WalletQuotes.ts"

const name = { name: "name", type: "string" }
const version = { name: "version", type: "string" }
const verifyingContract = { name: "verifyingContract", type: "address" }

const ORDER_DOMAIN = [name, version, { name: "chainId", type: "uint256" }, verifyingContract]

/** The domain of a batch has no chain. */
const BATCH_DOMAIN = [name, version, verifyingContract]

/** Payload for the owner of an order. */
export const order = ({ authorization, typedData }: SigningPayload) => ({
  authorization,
  typedData: { ...typedData, types: { EIP712Domain: ORDER_DOMAIN, ...typedData.types } }
})

/** Payload for the owner of a batch. */
export const batch = ({ authorizations, typedData }: NonNullable<WalletOffer["signing"]>) => ({
  authorizations,
  typedData: { ...typedData, types: { EIP712Domain: BATCH_DOMAIN, ...typedData.types } }
})
