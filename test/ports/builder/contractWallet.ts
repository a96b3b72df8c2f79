/** A contract wallet with one owner, and the factory that deploys it. They are compiled here, because only these tests use them. */
import { createRequire } from "node:module"
import { Schema } from "effect"
import { type Abi, type Hex, parseAbi } from "viem"

const SOURCE = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

contract Wallet {
    address immutable owner;

    constructor(address owner_) { owner = owner_; }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        // Burns whatever it is given: a wallet may be written by an attacker.
        if (signature.length == 1) while (true) {}
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(hash, uint8(signature[64]), r, s) == owner ? this.isValidSignature.selector : bytes4(0);
    }
}

contract Factory {
    function deploy(address owner) external returns (address) { return address(new Wallet{salt: 0}(owner)); }

    function addressOf(address owner) external view returns (address) {
        bytes32 init = keccak256(abi.encodePacked(type(Wallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), init)))));
    }
}
`

const Output = Schema.fromJsonString(
  Schema.Struct({
    contracts: Schema.Struct({
      "Wallet.sol": Schema.Struct({
        Factory: Schema.Struct({ evm: Schema.Struct({ bytecode: Schema.Struct({ object: Schema.String }) }) })
      })
    })
  })
)

const compile = (): Hex => {
  const compiler: { readonly compile: (input: string) => string } = createRequire(import.meta.url)("solc")
  const output = compiler.compile(
    JSON.stringify({
      language: "Solidity",
      sources: { "Wallet.sol": { content: SOURCE } },
      settings: { outputSelection: { "*": { "*": ["evm.bytecode.object"] } }, optimizer: { enabled: true } }
    })
  )
  return `0x${Schema.decodeUnknownSync(Output)(output).contracts["Wallet.sol"].Factory.evm.bytecode.object}`
}

export const factoryAbi = parseAbi([
  "function deploy(address owner) returns (address)",
  "function addressOf(address owner) view returns (address)"
]) satisfies Abi

export const factoryCode = compile()
