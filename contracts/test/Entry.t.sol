// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../src/interfaces/ISweepEntry.sol";
import { GasBurner, ReturnBomb } from "./mocks/HostileAccounts.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice One sweep of a batch never affects another.
contract EntryTest is MockScene {
    uint64 private constant GAS = 400_000;

    function test_EmptyBatch() public {
        assertEq(entry.run(new ISweepEntry.Item[](0)), 0);
    }

    function test_BatchSettlesEverySweep() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](3);
        for (uint256 i; i < 3; ++i) {
            items[i] = _sweepOf(string.concat("owner ", vm.toString(i)));
        }
        assertEq(entry.run(items), 7);
        assertEq(tokenOut.balanceOf(destination), 3 * OUT);
    }

    function test_HostileAccountsLeaveTheOthersAlone() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](8);
        items[0] = _sweepOf("first");
        items[1] = ISweepEntry.Item(address(new ReturnBomb()), GAS, hex"0102");
        items[2] = ISweepEntry.Item(address(new ReturnBomb()), GAS, hex"01");
        items[3] = ISweepEntry.Item(address(new GasBurner()), GAS, "");
        items[4] = ISweepEntry.Item(makeAddr("no code"), GAS, "");
        items[5] = _sweepOf("second");
        items[6] = items[5];
        items[7] = _sweepOf("third");
        uint256 before = gasleft();
        assertEq(entry.run(items), 1 | 1 << 5 | 1 << 7);
        // The bombs' output is not copied, so nothing is spent beyond the items' own limits.
        assertLt(before - gasleft(), 8 * uint256(GAS));
        assertEq(tokenOut.balanceOf(destination), 3 * OUT);
    }

    function testFuzz_FailingSweepsAreTheZeroBits(uint8 failing) public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](8);
        uint256 good;
        for (uint256 i; i < 8; ++i) {
            items[i] = _sweepOf(string.concat("owner ", vm.toString(i)));
            if (failing >> i & 1 == 1) items[i].data[items[i].data.length - 64] ^= 0x01;
            else ++good;
        }
        assertEq(entry.run(items), uint8(~failing));
        assertEq(tokenOut.balanceOf(destination), good * OUT);
    }

    /// @dev A stale authorization leaves an account without code. A call to it succeeds and proves nothing.
    function test_AccountWithoutCodeIsNoSuccess() public {
        vm.etch(owner, "");
        ISweepEntry.Item[] memory items = _items(_order(), _sign(_order(), ownerKey));
        vm.recordLogs();
        assertEq(entry.run(items), 0);
        assertEq(vm.getRecordedLogs().length, 0);
        (bool ok, bytes memory result) = owner.call(items[0].data);
        assertTrue(ok && result.length == 0);
    }

    function test_ItemGetsNoMoreThanItsLimit() public {
        ISweepEntry.Item[] memory items = _items(_order(), _sign(_order(), ownerKey));
        items[0].gasLimit = 50_000;
        assertEq(entry.run(items), 0);
        assertFalse(guard.isNonceUsed(owner, _nonce(0)));
    }

    /// @dev Whatever gas the caller supplies, an item runs with its full limit or the batch reverts.
    function testFuzz_ItemNeverGetsLessThanItsLimit(uint256 supplied) public {
        Meter meter = new Meter();
        supplied = bound(supplied, 30_000, 600_000);
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](1);
        items[0] = ISweepEntry.Item(address(meter), 200_000, "");
        try entry.run{ gas: supplied }(items) returns (uint256 okBitmap) {
            assertEq(okBitmap, 1);
            assertGe(meter.seen(), 200_000 - 200);
        } catch (bytes memory reason) {
            assertTrue(reason.length == 0 || bytes4(reason) == ISweepEntry.InsufficientGas.selector);
            assertLt(supplied, 260_000);
        }
    }

    /// @dev Copying the calldata takes gas as well, which must not come out of the item's limit.
    function testFuzz_ItemWithMuchCalldataNeverGetsLessThanItsLimit(uint256 supplied) public {
        Meter meter = new Meter();
        supplied = bound(supplied, 200_000, 320_000);
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](1);
        items[0] = ISweepEntry.Item(address(meter), 200_000, new bytes(60_000));
        bytes memory data = abi.encodeCall(entry.run, (items));
        (bool ok,) = address(entry).call{ gas: supplied }(data);
        if (ok) assertGe(meter.seen(), 200_000 - 30_000);
        else assertEq(meter.seen(), 0);
    }

    function test_TooLittleGasReverts() public {
        ISweepEntry.Item[] memory items = _items(_order(), _sign(_order(), ownerKey));
        vm.expectRevert(ISweepEntry.InsufficientGas.selector);
        entry.run{ gas: 390_000 }(items);
    }

    function test_NoMoreItemsThanBits() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](257);
        vm.expectRevert(ISweepEntry.TooManyItems.selector);
        entry.run(items);
    }

    function test_LastBitIsUsed() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](256);
        items[255] = _sweepOf("last");
        assertEq(entry.run(items), 1 << 255);
    }

    function _sweepOf(string memory name) private returns (ISweepEntry.Item memory) {
        (address account, uint256 key) = makeAddrAndKey(name);
        _delegate(account, address(delegate));
        tokenIn.mint(account, AMOUNT);
        SweepOrder memory order = _order(account, address(tokenIn), address(tokenOut), REST, OUT);
        return _item(order, _sign(order, key), GAS);
    }
}

/// @notice Notes the gas it was called with.
contract Meter {
    uint256 public seen;

    fallback(bytes calldata) external returns (bytes memory) {
        uint256 gas = gasleft();
        seen = gas;
        return abi.encode(gas);
    }
}
