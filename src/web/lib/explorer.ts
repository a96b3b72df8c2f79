/** Links to a chain's block explorer, where the deployment names one. */
import type { PublicChain } from "../../api/builder/DeploymentApi.ts"

const link = (chain: PublicChain | undefined, path: string): string | undefined =>
  chain?.explorerUrl === undefined ? undefined : `${chain.explorerUrl.replace(/\/$/, "")}/${path}`

export const transaction = (chain: PublicChain | undefined, hash: string) => link(chain, `tx/${hash}`)

export const account = (chain: PublicChain | undefined, address: string) => link(chain, `address/${address}`)

/** The transaction in which a sweep settled, when its id says so. */
export const hashOfSweep = (sweepId: string): string | undefined => /^(0x[0-9a-fA-F]{64})_\d+$/.exec(sweepId)?.[1]
