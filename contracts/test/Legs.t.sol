// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../src/interfaces/ISweepEntry.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { Kind, SweepReport } from "../src/interfaces/ISweepGuard.sol";
import { ForeignDelegate, GasBurner, ReturnBomb } from "./mocks/HostileAccounts.sol";
import { HookToken } from "./mocks/HostileTokens.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { BatchScene } from "./support/BatchScene.sol";

/// @notice Each leg of a batch settles or fails alone, whatever its code does.
contract LegsTest is BatchScene {
    /// @dev The lock stops a hop of one leg from running the other legs, which then run as their turn comes.
    function test_HopCannotRunTheBatchItIsPartOf() public {
        SweepOrder[] memory orders = _orders(2);
        SweepOrder[] memory later = new SweepOrder[](1);
        later[0] = orders[1];
        // The hop tries the second leg by its own single signature, as a leg and as a batch of one.
        bytes32[] memory hashes = _legHashes(later);
        bytes memory again =
            abi.encodeCall(ISweepDelegate.executeBatch, (later, _limits(1, 100_000), hashes, 0, _signBatch(hashes)));
        orders[0].swapCalldata = abi.encodeCall(
            MockRouter.swapThrough, (owner, again, address(tokenIn), REST, address(tokenOut), OUT, destination)
        );
        assertEq(_run(orders), 3);
        assertEq(tokenOut.balanceOf(destination), 2 * OUT);
    }

    /// @dev Whatever gas the caller supplies, every leg runs with its full limit or nothing happens.
    function testFuzz_LegNeverFailsForWantOfGas(uint256 supplied) public {
        SweepOrder[] memory orders = _orders(2);
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory data =
            abi.encodeCall(ISweepDelegate.executeBatch, (orders, _limits(2, LIMIT), hashes, 0, _signBatch(hashes)));
        supplied = bound(supplied, 50_000, 1_000_000);
        (bool ok, bytes memory result) = owner.call{ gas: supplied }(data);
        if (ok) {
            assertEq(abi.decode(result, (uint256)), 3);
        } else {
            assertTrue(result.length == 0 || bytes4(result) == ISweepDelegate.InsufficientGas.selector);
            assertLt(supplied, 2 * LIMIT);
            assertFalse(guard.isNonceUsed(owner, orders[0].nonce));
        }
    }

    function test_LegGetsNoMoreThanItsLimit() public {
        SweepOrder[] memory orders = _orders(2);
        uint256[] memory limits = _limits(2, LIMIT);
        limits[0] = 50_000;
        bytes32[] memory hashes = _legHashes(orders);
        assertEq(ISweepDelegate(owner).executeBatch(orders, limits, hashes, 0, _signBatch(hashes)), 2);
    }

    function test_LimitsBeyondAllGasRevert() public {
        SweepOrder[] memory orders = _orders(1);
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory signature = _signBatch(hashes);
        vm.expectRevert(ISweepDelegate.InsufficientGas.selector);
        ISweepDelegate(owner).executeBatch(orders, _limits(1, 1 << 128), hashes, 0, signature);
        vm.expectRevert(ISweepDelegate.InsufficientGas.selector);
        ISweepDelegate(owner).executeBatch(orders, _limits(1, type(uint256).max), hashes, 0, signature);
    }

    /// @dev A batch travels through the entry beside sweeps of other owners.
    function test_BatchIsAnItemOfTheEntry() public {
        (address other, uint256 otherKey) = makeAddrAndKey("other");
        _delegate(other, address(delegate));
        tokenIn.mint(other, AMOUNT);
        SweepOrder memory single = _order(other, address(tokenIn), address(tokenOut), REST, OUT);
        SweepOrder[] memory orders = _orders(2);
        bytes32[] memory hashes = _legHashes(orders);
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](2);
        items[0] = ISweepEntry.Item(
            owner,
            1_000_000,
            abi.encodeCall(ISweepDelegate.executeBatch, (orders, _limits(2, LIMIT), hashes, 0, _signBatch(hashes)))
        );
        items[1] = _item(single, _sign(single, otherKey), 400_000);
        assertEq(entry.run(items), 3);
        assertEq(tokenOut.balanceOf(destination), 3 * OUT);
    }

    function test_LegThatBurnsItsGasLeavesTheOthersAlone() public {
        GasBurner burner = new GasBurner();
        SweepOrder[] memory orders = _orders(3);
        _through(orders[0], address(burner), "");
        _through(orders[1], address(burner), "");
        uint256 before = gasleft();
        assertEq(_run(orders), 4);
        assertLt(before - gasleft(), 3 * LIMIT + 500_000);
        assertEq(tokenOut.balanceOf(destination), OUT);
    }

    /// @dev One bomb goes through the swap's revert data, one is the answer of a hop.
    function test_LegThatReturnsHugeDataLeavesTheOthersAlone() public {
        ReturnBomb bomb = new ReturnBomb();
        SweepOrder[] memory orders = _orders(3);
        _through(orders[0], address(bomb), hex"00");
        _through(orders[1], address(bomb), "");
        assertEq(_run(orders) & 4, 4);
        assertFalse(guard.isNonceUsed(owner, orders[0].nonce));
    }

    /// @dev Revert data of 256 bytes and more reaches no further than the leg.
    function testFuzz_RevertDataOfALegIsDropped(bytes calldata reason) public {
        SweepOrder[] memory orders = _orders(2);
        orders[0].swapCalldata = abi.encodeCall(MockRouter.fail, (reason));
        assertEq(_run(orders), 2);
    }

    /// @dev A token's code runs inside the leg as well. It cannot end the sweep that it is part of, open another one, cancel
    ///      nonces of the owner, or run a leg.
    function test_CallbacksIntoTheGuardAndTheAccountAreRefused() public {
        SweepOrder[] memory orders = _orders(1);
        SweepReport memory report;
        bytes[] memory calls = new bytes[](5);
        calls[0] = abi.encodeCall(guard.exit, (report));
        calls[1] = abi.encodeCall(guard.enter, (_nonce(9), Kind.Router, address(router)));
        calls[2] = abi.encodeCall(ISweepDelegate.executeLeg, (orders[0]));
        calls[3] = abi.encodeCall(ISweepDelegate.cancel, (_nonce(9)));
        calls[4] = abi.encodeCall(guard.setTarget, (address(this), Kind.Router, true));
        bytes4[5] memory reasons = [
            ISweepErrors.Unauthorized.selector,
            ISweepErrors.NotADelegatedAccount.selector,
            ISweepErrors.Unauthorized.selector,
            ISweepErrors.Unauthorized.selector,
            ISweepErrors.Unauthorized.selector
        ];
        for (uint256 i; i < calls.length; ++i) {
            HookToken token = new HookToken();
            token.mint(owner, AMOUNT);
            token.setHook(i == 2 || i == 3 ? owner : address(guard), calls[i]);
            orders[0] = _order(owner, address(token), address(tokenOut), REST, OUT);
            orders[0].nonce = _nonce(i);
            assertEq(_run(orders), 1);
            assertTrue(token.called());
            assertFalse(token.succeeded());
            assertEq(bytes4(token.result()), reasons[i]);
        }
        assertFalse(guard.isNonceUsed(owner, _nonce(9)));
    }

    /// @dev The holder of the lock is the account in whose sweep a hook runs. An account with another delegate is not that one.
    function test_HookOfAnotherAccountCannotCloseTheSweep() public {
        (address stranger,) = makeAddrAndKey("stranger");
        _delegate(stranger, address(new ForeignDelegate()));
        SweepReport memory report;
        HookToken token = new HookToken();
        token.mint(owner, AMOUNT);
        token.setHook(
            stranger, abi.encodeCall(ForeignDelegate.perform, (address(guard), abi.encodeCall(guard.exit, (report))))
        );
        SweepOrder[] memory orders = _orders(1);
        orders[0] = _order(owner, address(token), address(tokenOut), REST, OUT);
        assertEq(_run(orders), 1);
        assertEq(bytes4(token.result()), ISweepErrors.Unauthorized.selector);
    }

    /// @dev A batch whose legs burn all they get is one item of the entry, with a limit of its own.
    function test_BurningBatchLeavesTheItemsBehindItAlone() public {
        SweepOrder[] memory orders = _orders(2);
        GasBurner burner = new GasBurner();
        _through(orders[0], address(burner), "");
        _through(orders[1], address(burner), "");
        bytes32[] memory hashes = _legHashes(orders);
        (address other, uint256 otherKey) = makeAddrAndKey("other");
        _delegate(other, address(delegate));
        tokenIn.mint(other, AMOUNT);
        SweepOrder memory single = _order(other, address(tokenIn), address(tokenOut), REST, OUT);
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](3);
        items[0] = ISweepEntry.Item(
            owner,
            1_000_000,
            abi.encodeCall(ISweepDelegate.executeBatch, (orders, _limits(2, LIMIT), hashes, 0, _signBatch(hashes)))
        );
        // A limit that the item does not cover makes the batch revert, which is a failure of the item alone.
        items[1] = ISweepEntry.Item(
            owner,
            300_000,
            abi.encodeCall(ISweepDelegate.executeBatch, (orders, _limits(2, LIMIT), hashes, 0, _signBatch(hashes)))
        );
        items[2] = _item(single, _sign(single, otherKey), 400_000);
        // The batch itself succeeds. Its result says that no leg did.
        assertEq(entry.run(items), 5);
        assertEq(tokenOut.balanceOf(destination), OUT);
        assertEq(tokenIn.balanceOf(owner), 2 * AMOUNT);
    }

    /// @dev Has the swap of an order call `hop` first.
    function _through(SweepOrder memory order, address hop, bytes memory data) private view {
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough, (hop, data, address(tokenIn), REST, address(tokenOut), OUT, destination)
        );
    }
}
