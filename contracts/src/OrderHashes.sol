// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { EfficientHashLib } from "solady/utils/EfficientHashLib.sol";
import { SweepOrder } from "./interfaces/ISweepDelegate.sol";

/// @dev Address in memory of the EIP-712 encoding of a {SweepOrder}: one word per field, in order, with the hash in place of the
///      bytes. The digest of the order follows; it is no part of the encoding.
type EncodedOrder is uint256;

// Byte offsets of the fields in an {EncodedOrder}, the size of its encoding, and the offset of the digest.
uint256 constant OWNER = 0x20;
uint256 constant TOKEN_IN = 0x40;
uint256 constant AMOUNT_IN = 0x60;
uint256 constant FEE_AMOUNT = 0x80;
uint256 constant BUILDER = 0xa0;
uint256 constant BUILDER_FEE = 0xc0;
uint256 constant TOKEN_OUT = 0xe0;
uint256 constant MIN_AMOUNT_OUT = 0x100;
uint256 constant DESTINATION = 0x120;
uint256 constant SWAP_TARGET = 0x140;
uint256 constant SWAP_CALLDATA_HASH = 0x160;
uint256 constant DEADLINE = 0x180;
uint256 constant NONCE = 0x1a0;
uint256 constant DEST_CHAIN_ID = 0x1c0;
uint256 constant ENCODING_SIZE = 0x1e0;
uint256 constant ORDER_HASH = 0x1e0;

// The head of a {SweepOrder} in calldata: one word per field, and the offset of the bytes in place of the bytes.
uint256 constant HEAD_SIZE = 0x1c0;
uint256 constant HEAD_SWAP_CALLDATA = 0x140;

/// @title  Hashes of orders and batches
/// @notice EIP-712 hashes of what owners sign. The verifying contract is always the account, so a signature is invalid at
///         any other account.
library OrderHashes {
    bytes32 private constant _ORDER_TYPEHASH = keccak256(
        "SweepOrder(address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId)"
    );
    bytes32 private constant _LEG_TYPEHASH = keccak256(
        "SweepLeg(uint256 chainId,SweepOrder order)SweepOrder(address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId)"
    );
    bytes32 private constant _BATCH_TYPEHASH = keccak256(
        "SweepBatch(SweepLeg[] legs)SweepLeg(uint256 chainId,SweepOrder order)SweepOrder(address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId)"
    );
    bytes32 private constant _ORDER_DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    /// @dev Without a chain: each leg of a batch names its own (ERC-7964).
    bytes32 private constant _BATCH_DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,address verifyingContract)");
    bytes32 private constant _VERSION_HASH = keccak256("1");

    /// @dev Memory for an encoding and its digest. It is not cleared, since every word of it is written before it is read.
    function allocate() internal pure returns (EncodedOrder encoded) {
        assembly ("memory-safe") {
            encoded := mload(0x40)
            mstore(0x40, add(encoded, add(ORDER_HASH, 0x20)))
        }
    }

    /// @dev Word at the offset of a field.
    function word(EncodedOrder encoded, uint256 field) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(encoded, field))
        }
    }

    /// @dev Address at the offset of a field. {requireAddresses} has checked its upper bits.
    function account(EncodedOrder encoded, uint256 field) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := mload(add(encoded, field))
        }
    }

    /// @dev Encodes an order. The head of its calldata already has one word per field, in order. Only the offset of the
    ///      bytes is replaced, by their hash. The words are copied without checks.
    function encode(SweepOrder calldata order, bytes calldata swapCalldata, EncodedOrder encoded) internal pure {
        bytes32 typeHash = _ORDER_TYPEHASH;
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, swapCalldata.offset, swapCalldata.length)
            mstore(encoded, typeHash)
            calldatacopy(add(encoded, OWNER), order, HEAD_SIZE)
            mstore(add(encoded, SWAP_CALLDATA_HASH), keccak256(m, swapCalldata.length))
        }
    }

    /// @dev Reverts if an address of the order has dirty upper bits.
    function requireAddresses(EncodedOrder encoded) internal pure {
        assembly ("memory-safe") {
            let bits := or(mload(add(encoded, OWNER)), mload(add(encoded, TOKEN_IN)))
            bits := or(bits, or(mload(add(encoded, BUILDER)), mload(add(encoded, TOKEN_OUT))))
            bits := or(bits, or(mload(add(encoded, DESTINATION)), mload(add(encoded, SWAP_TARGET))))
            if shr(160, bits) { revert(0, 0) }
        }
    }

    /// @dev Computes the digest of a single order and writes it behind the encoding.
    function digest(EncodedOrder encoded, bytes32 nameHash) internal view returns (bytes32 orderHash) {
        orderHash = _signedHash(
            EfficientHashLib.hash(_ORDER_DOMAIN_TYPEHASH, nameHash, _VERSION_HASH, bytes32(block.chainid), _account()),
            _structHash(encoded)
        );
        assembly ("memory-safe") {
            mstore(add(encoded, ORDER_HASH), orderHash)
        }
    }

    /// @dev Digest of a batch. The hashes of this chain's legs are computed here, with this chain's id, so that a leg runs only
    ///      on the chain that its owner signed. The other hashes come from the caller: a wrong one makes another digest, and so
    ///      do dirty bits.
    /// @param  orders    Orders of the legs `[first, first + orders.length)`, which must be among `legHashes`.
    /// @param  legHashes Struct hashes of all legs. Those of `orders` are not read.
    function batchDigest(SweepOrder[] calldata orders, bytes32[] calldata legHashes, uint256 first, bytes32 nameHash)
        internal
        view
        returns (bytes32)
    {
        EncodedOrder encoded = allocate();
        bytes32[] memory hashes = legHashes;
        for (uint256 i; i < orders.length; ++i) {
            SweepOrder calldata order = orders[i];
            encode(order, order.swapCalldata, encoded);
            bytes32 legHash = EfficientHashLib.hash(_LEG_TYPEHASH, bytes32(block.chainid), _structHash(encoded));
            assembly ("memory-safe") {
                mstore(add(add(hashes, 0x20), shl(5, add(first, i))), legHash)
            }
        }
        bytes32 legs;
        assembly ("memory-safe") {
            legs := keccak256(add(hashes, 0x20), shl(5, mload(hashes)))
        }
        bytes32 domain = EfficientHashLib.hash(_BATCH_DOMAIN_TYPEHASH, nameHash, _VERSION_HASH, _account());
        return _signedHash(domain, EfficientHashLib.hash(_BATCH_TYPEHASH, legs));
    }

    function _account() private view returns (bytes32) {
        return bytes32(uint256(uint160(address(this))));
    }

    function _structHash(EncodedOrder encoded) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            hash := keccak256(encoded, ENCODING_SIZE)
        }
    }

    function _signedHash(bytes32 domain, bytes32 structHash) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, hex"1901")
            mstore(add(m, 0x02), domain)
            mstore(add(m, 0x22), structHash)
            hash := keccak256(m, 0x42)
        }
    }
}
