// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { LibRLP } from "solady/utils/LibRLP.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ISweepGuard } from "../src/interfaces/ISweepGuard.sol";
import { SweepTest } from "./support/SweepTest.sol";

/// @notice The delegate hashes and recovers like an independent implementation. The TypeScript tests read the same files.
contract VectorsTest is SweepTest {
    using LibRLP for LibRLP.List;

    string private constant ORDERS = "../test/vectors/sweep-order.json";
    string private constant BATCHES = "../test/vectors/sweep-batch.json";
    string private constant AUTHORIZATIONS = "../test/vectors/authorization.json";

    function test_OrdersHashAsTheVectorsSay() public view {
        string memory json = vm.readFile(ORDERS);
        uint256 count = vm.parseJsonUint(json, ".count");
        assertGt(count, 0);
        for (uint256 i; i < count; ++i) {
            string memory at = string.concat(".orders[", vm.toString(i), "]");
            SweepOrder memory order = _read(json, string.concat(at, ".order"));
            assertEq(_structHash(order), vm.parseJsonBytes32(json, string.concat(at, ".structHash")));
            bytes32 digest = _digest(
                order,
                vm.parseJsonString(json, string.concat(at, ".domain.name")),
                vm.parseJsonUint(json, string.concat(at, ".domain.chainId")),
                order.owner
            );
            assertEq(digest, vm.parseJsonBytes32(json, string.concat(at, ".digest")));
        }
    }

    /// @dev An accepted signature leads to the error of the next rule, a refused one to `BadSignature`.
    function test_DelegateAcceptsTheVectorsSignatures() public {
        string memory json = vm.readFile(ORDERS);
        uint256 count = vm.parseJsonUint(json, ".count");
        for (uint256 i; i < count; ++i) {
            string memory at = string.concat(".orders[", vm.toString(i), "]");
            SweepOrder memory order = _read(json, string.concat(at, ".order"));
            string memory name = vm.parseJsonString(json, string.concat(at, ".domain.name"));
            ISweepGuard other = _guard(admin, 0, feeRecipient, address(0), name, address(0), _none(), _none());
            _delegate(order.owner, other.delegate());
            vm.chainId(vm.parseJsonUint(json, string.concat(at, ".domain.chainId")));
            _accepts(order, vm.parseJsonBytes(json, string.concat(at, ".signature")));
            _accepts(order, vm.parseJsonBytes(json, string.concat(at, ".compactSignature")));

            bytes32 digest = vm.parseJsonBytes32(json, string.concat(at, ".digest"));
            bytes memory signature = vm.parseJsonBytes(json, string.concat(at, ".compactSignature"));
            assertEq(ISweepDelegate(order.owner).isValidSignature(digest, signature), bytes4(0x1626ba7e));
        }
    }

    function test_BatchesHashAsTheVectorsSay() public view {
        string memory json = vm.readFile(BATCHES);
        uint256 count = vm.parseJsonUint(json, ".count");
        assertGt(count, 0);
        for (uint256 i; i < count; ++i) {
            string memory at = string.concat(".batches[", vm.toString(i), "]");
            (SweepOrder[] memory orders, uint256[] memory chains) = _readLegs(json, at);
            bytes32[] memory hashes = new bytes32[](orders.length);
            for (uint256 j; j < orders.length; ++j) {
                hashes[j] = _legHash(orders[j], chains[j]);
            }
            assertEq(hashes, vm.parseJsonBytes32Array(json, string.concat(at, ".legHashes")));
            string memory name = vm.parseJsonString(json, string.concat(at, ".domain.name"));
            bytes32 digest = _batchDigest(hashes, name, orders[0].owner);
            assertEq(digest, vm.parseJsonBytes32(json, string.concat(at, ".digest")));
        }
    }

    /// @dev A batch with an accepted signature returns, although its leg fails for want of tokens.
    function test_DelegateAcceptsTheVectorsBatches() public {
        string memory json = vm.readFile(BATCHES);
        uint256 count = vm.parseJsonUint(json, ".count");
        for (uint256 i; i < count; ++i) {
            string memory at = string.concat(".batches[", vm.toString(i), "]");
            string memory name = vm.parseJsonString(json, string.concat(at, ".domain.name"));
            ISweepGuard other = _guard(admin, 0, feeRecipient, address(0), name, address(0), _none(), _none());
            (SweepOrder[] memory orders, uint256[] memory chains) = _readLegs(json, at);
            bytes32[] memory hashes = vm.parseJsonBytes32Array(json, string.concat(at, ".legHashes"));
            _delegate(orders[0].owner, other.delegate());
            for (uint256 j; j < orders.length; ++j) {
                vm.chainId(chains[j]);
                _acceptsLeg(orders[j], hashes, j, vm.parseJsonBytes(json, string.concat(at, ".signature")));
                _acceptsLeg(orders[j], hashes, j, vm.parseJsonBytes(json, string.concat(at, ".compactSignature")));
            }
        }
    }

    function test_AuthorizationsHashAsTheVectorsSay() public view {
        string memory json = vm.readFile(AUTHORIZATIONS);
        uint256 count = vm.parseJsonUint(json, ".count");
        assertGt(count, 0);
        for (uint256 i; i < count; ++i) {
            string memory at = string.concat(".authorizations[", vm.toString(i), "]");
            bytes memory tuple = LibRLP.p(vm.parseJsonUint(json, string.concat(at, ".chainId")))
                .p(vm.parseJsonAddress(json, string.concat(at, ".address")))
                .p(vm.parseJsonUint(json, string.concat(at, ".nonce"))).encode();
            bytes32 hash = keccak256(bytes.concat(hex"05", tuple));
            assertEq(hash, vm.parseJsonBytes32(json, string.concat(at, ".hash")));
            address authority = ecrecover(
                hash,
                uint8(27 + vm.parseJsonUint(json, string.concat(at, ".yParity"))),
                vm.parseJsonBytes32(json, string.concat(at, ".r")),
                vm.parseJsonBytes32(json, string.concat(at, ".s"))
            );
            assertEq(authority, vm.parseJsonAddress(json, string.concat(at, ".authority")));
        }
    }

    function _accepts(SweepOrder memory order, bytes memory signature) private {
        vm.warp(order.deadline == type(uint256).max ? 1 : order.deadline + 1);
        vm.expectRevert(
            order.deadline == type(uint256).max ? ISweepErrors.FeesExceedInput.selector : ISweepErrors.Expired.selector
        );
        ISweepDelegate(order.owner).execute(order, signature);
        order.minAmountOut ^= 1;
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        ISweepDelegate(order.owner).execute(order, signature);
        order.minAmountOut ^= 1;
    }

    function _acceptsLeg(SweepOrder memory order, bytes32[] memory hashes, uint256 first, bytes memory signature)
        private
    {
        SweepOrder[] memory orders = new SweepOrder[](1);
        orders[0] = order;
        uint256[] memory limits = _limits(1, 100_000);
        assertEq(ISweepDelegate(order.owner).executeBatch(orders, limits, hashes, first, signature), 0);
        order.minAmountOut ^= 1;
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        ISweepDelegate(order.owner).executeBatch(orders, limits, hashes, first, signature);
        order.minAmountOut ^= 1;
    }

    function _readLegs(string memory json, string memory batch)
        private
        pure
        returns (SweepOrder[] memory orders, uint256[] memory chains)
    {
        uint256 count = vm.parseJsonUint(json, string.concat(batch, ".count"));
        (orders, chains) = (new SweepOrder[](count), new uint256[](count));
        for (uint256 i; i < count; ++i) {
            string memory at = string.concat(batch, ".legs[", vm.toString(i), "]");
            orders[i] = _read(json, string.concat(at, ".order"));
            chains[i] = vm.parseJsonUint(json, string.concat(at, ".chainId"));
        }
    }

    function _read(string memory json, string memory at) private pure returns (SweepOrder memory order) {
        order.owner = vm.parseJsonAddress(json, string.concat(at, ".owner"));
        order.tokenIn = vm.parseJsonAddress(json, string.concat(at, ".tokenIn"));
        order.amountIn = vm.parseJsonUint(json, string.concat(at, ".amountIn"));
        order.feeAmount = vm.parseJsonUint(json, string.concat(at, ".feeAmount"));
        order.builder = vm.parseJsonAddress(json, string.concat(at, ".builder"));
        order.builderFee = vm.parseJsonUint(json, string.concat(at, ".builderFee"));
        order.tokenOut = vm.parseJsonAddress(json, string.concat(at, ".tokenOut"));
        order.minAmountOut = vm.parseJsonUint(json, string.concat(at, ".minAmountOut"));
        order.destination = vm.parseJsonAddress(json, string.concat(at, ".destination"));
        order.swapTarget = vm.parseJsonAddress(json, string.concat(at, ".swapTarget"));
        order.swapCalldata = vm.parseJsonBytes(json, string.concat(at, ".swapCalldata"));
        order.deadline = vm.parseJsonUint(json, string.concat(at, ".deadline"));
        order.nonce = vm.parseJsonUint(json, string.concat(at, ".nonce"));
        order.destChainId = vm.parseJsonUint(json, string.concat(at, ".destChainId"));
    }
}
