// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../../src/interfaces/ISweepDelegate.sol";
import { MockScene } from "./MockScene.sol";

/// @notice Orders of one owner under one signature.
abstract contract BatchScene is MockScene {
    uint256 internal constant LIMIT = 400_000;
    bytes32 internal constant ELSEWHERE = keccak256("leg of another chain");

    function _orders(uint256 count) internal returns (SweepOrder[] memory orders) {
        orders = new SweepOrder[](count);
        for (uint256 i; i < count; ++i) {
            orders[i] = _order();
            orders[i].nonce = _nonce(i);
        }
        deal(address(tokenIn), owner, count * AMOUNT);
    }

    function _run(SweepOrder[] memory orders) internal returns (uint256) {
        bytes32[] memory hashes = _legHashes(orders);
        return _runLegs(orders, hashes, 0, _signBatch(hashes));
    }

    function _runLegs(SweepOrder[] memory orders, bytes32[] memory hashes, uint256 first, bytes memory signature)
        internal
        returns (uint256)
    {
        vm.prank(relayer);
        return ISweepDelegate(owner).executeBatch(orders, _limits(orders.length, LIMIT), hashes, first, signature);
    }

    function _reverts(
        SweepOrder[] memory orders,
        bytes32[] memory hashes,
        uint256 first,
        bytes memory signature,
        bytes4 reason
    ) internal {
        vm.expectRevert(reason);
        ISweepDelegate(owner).executeBatch(orders, _limits(orders.length, LIMIT), hashes, first, signature);
    }
}
