/** The account to sweep: of the host, of a wallet or, on the local network, of a key in this tab. */
import { useCallback, useEffect, useMemo, useState } from "react"
import type { Node, RevocationSender, SweepSigner } from "../../sdk/index.ts"
import { local, session } from "../lib/storage.ts"
import { makeTurns } from "../lib/turns.ts"
import { firstAccount, useWallets, type Wallet } from "../wallet/provider.ts"
import type { SweepAccount } from "./account.ts"
import type { Nodes } from "./keyAccount.ts"

export interface AccountOptions {
  readonly signer: SweepSigner | undefined
  readonly nodes: Readonly<Record<number, Node>> | undefined
  readonly sender: ((chainId: number) => RevocationSender | undefined) | undefined
  /** Nodes of the local network. Absent on other networks. */
  readonly localNodes: Nodes | undefined
}

/** Kept in this tab only. */
const KEY = "sweep-local-key"
/** Name of the wallet to reconnect on the next visit. */
const WALLET = "sweep-owner-wallet"

/** Time in which the wallet of the last visit is expected to answer. */
const RESTORE_MILLIS = 3_000

const hostAccount = ({ nodes = {}, sender, signer }: AccountOptions): SweepAccount | undefined =>
  signer === undefined
    ? undefined
    : {
        kind: "host",
        name: "Connected account",
        address: signer.address,
        signer,
        canAuthorize: typeof signer.signAuthorization === "function",
        node: (chainId) => nodes[chainId],
        ...(sender === undefined ? {} : { sender })
      }

/** Signing and checksums are large, and come while the user chooses. */
const loadWallets = () => import("./walletAccount.ts")

/** The stored connection. A wallet itself tells if it still shares its account. */
const restored = async (wallet: Wallet | undefined, localNodes: Nodes | undefined): Promise<Connected | undefined> => {
  const key = localNodes === undefined ? null : session.get(KEY)
  if (key !== null && localNodes !== undefined) {
    const { keyAccount } = await import("./keyAccount.ts")
    const account = keyAccount(key, localNodes)
    if (account !== undefined) return { account }
  }
  if (wallet === undefined) return undefined
  const [{ walletAccount }, accounts] = await Promise.all([
    loadWallets(),
    wallet.provider.request({ method: "eth_accounts" })
  ])
  const address = firstAccount(accounts)
  return address === undefined ? undefined : { account: await walletAccount(wallet, address), wallet }
}

interface Connected {
  readonly account: SweepAccount
  readonly wallet?: Wallet
}

/** `undefined` while loading, `null` if there is none. */
type Connection = Connected | null | undefined

export const useAccount = (options: AccountOptions) => {
  const { localNodes, nodes, sender, signer } = options
  const host = useMemo(() => hostAccount({ localNodes, nodes, sender, signer }), [localNodes, nodes, sender, signer])
  const wallets = useWallets()
  const remembered = wallets.find(({ info }) => info.rdns === local.get(WALLET))
  const [connection, setConnection] = useState<Connection>()
  /** One for each change of the account, so that the answer to an earlier one does not replace a later one. */
  const [beginChange] = useState(makeTurns)
  const isOpen = connection === undefined || connection === null

  useEffect(() => {
    if (host !== undefined || !isOpen) return
    let isHere = true
    // A wallet that never answers must not keep the page. Its late answer still counts, unless another account is chosen.
    const patience = setTimeout(() => setConnection((found) => found ?? null), RESTORE_MILLIS)
    restored(remembered, localNodes).then(
      (found) => isHere && setConnection(found ?? null),
      () => isHere && setConnection(null)
    )
    return () => {
      isHere = false
      clearTimeout(patience)
    }
  }, [host, isOpen, remembered, localNodes])

  const wallet = connection?.wallet
  useEffect(() => {
    if (wallet === undefined) return
    const moved = (accounts: unknown) => {
      const isLast = beginChange()
      const address = firstAccount(accounts)
      if (address === undefined) setConnection(null)
      else {
        void loadWallets()
          .then(({ walletAccount }) => walletAccount(wallet, address))
          .then((account) => isLast() && setConnection({ account, wallet }))
      }
    }
    wallet.provider.on?.("accountsChanged", moved)
    return () => void wallet.provider.removeListener?.("accountsChanged", moved)
  }, [beginChange, wallet])

  const connectWallet = useCallback(
    async (chosen: Wallet) => {
      const isLast = beginChange()
      const account = await (await loadWallets()).connect(chosen)
      if (!isLast()) return
      local.set(WALLET, chosen.info.rdns)
      setConnection({ account, wallet: chosen })
    },
    [beginChange]
  )

  /** Resolves to true if the text is a private key. Without a text, generates a new key. */
  const useKey = useCallback(
    async (text?: string): Promise<boolean> => {
      if (localNodes === undefined) return false
      beginChange()
      const { keyAccount, newKey } = await import("./keyAccount.ts")
      const key = text ?? newKey()
      const account = keyAccount(key, localNodes)
      if (account === undefined) return false
      session.set(KEY, key.trim())
      setConnection({ account })
      return true
    },
    [beginChange, localNodes]
  )

  const disconnect = useCallback(() => {
    beginChange()
    session.remove(KEY)
    local.remove(WALLET)
    setConnection(null)
  }, [beginChange])

  return {
    account: host ?? (connection === undefined ? undefined : (connection?.account ?? null)),
    /** Only the host can remove an account that it gave. */
    ...(host === undefined ? { disconnect } : {}),
    connectWallet,
    useKey
  }
}

export type AccountChoice = ReturnType<typeof useAccount>
