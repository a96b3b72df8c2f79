// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { console } from "forge-std/console.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../src/interfaces/ISweepEntry.sol";
import { ICoin } from "./support/Deployed.sol";
import { ISwapRouter02, UniswapScene } from "./support/UniswapScene.sol";

/// @notice Gas for each leg where one owner sweeps many tokens: a batch under one signature, the entry with a signature for each
///         sweep, and separate transactions. The same pair in every leg, or another input token in each.
/// @dev    The account is delegated, its nonce word is in use, and the pools have traded. The whole balances are swept.
contract GasOfLegsTest is UniswapScene {
    ICoin[] private coins;

    function setUp() public {
        _scene();
        _deploy(weth, _one(address(router)), _none());
        _delegate(owner, address(delegate));
        coins.push(tokenIn);
        for (uint256 i = 1; i < 20; ++i) {
            coins.push(_coin(string.concat("COIN ", vm.toString(i))));
            _pool(address(coins[i]), address(tokenOut));
        }
        tokenOut.mint(owner, 1e18);
        address earlier = makeAddr("earlier trader");
        for (uint256 i; i < 20; ++i) {
            coins[i].mint(feeRecipient, 1e18);
            coins[i].mint(builder, 1e18);
            coins[i].mint(earlier, AMOUNT);
            vm.startPrank(earlier);
            coins[i].approve(address(router), AMOUNT);
            router.exactInputSingle(_swap(coins[i], AMOUNT, earlier));
            vm.stopPrank();
        }
        tokenIn.mint(owner, AMOUNT);
        _execute(_leg(0, 0), _signCompact(_leg(0, 0), ownerKey));
        vm.warp(block.timestamp + 12);
    }

    function test_OneLeg() public {
        _rows(1, false, 167_273);
    }

    function test_OneLegOfDistinctTokens() public {
        _rows(1, true, 167_285);
    }

    function test_FourLegs() public {
        _rows(4, false, 91_860);
    }

    function test_FourLegsOfDistinctTokens() public {
        _rows(4, true, 131_410);
    }

    function test_EightLegs() public {
        _rows(8, false, 79_292);
    }

    function test_EightLegsOfDistinctTokens() public {
        _rows(8, true, 125_400);
    }

    function test_TwentyLegs() public {
        _rows(20, false, 71_705);
    }

    function test_TwentyLegsOfDistinctTokens() public {
        _rows(20, true, 121_792);
    }

    function _rows(uint256 count, bool distinct, uint256 bar) private {
        string memory name = string.concat(vm.toString(count), distinct ? " distinct" : " same");
        SweepOrder[] memory orders = new SweepOrder[](count);
        for (uint256 i; i < count; ++i) {
            orders[i] = _leg(i + 1, distinct ? i : 0);
        }
        for (uint256 i; i < count; ++i) {
            coins[distinct ? i : 0].mint(owner, AMOUNT);
        }
        uint256 start = vm.snapshotState();
        uint256 batch = _batch(orders);
        vm.revertToState(start);
        uint256 entered = _entered(orders);
        vm.revertToState(start);
        uint256 separate = _separate(orders);
        _row(string.concat("legs: ", name), batch / count);
        _row(string.concat("legs through the entry: ", name), entered / count);
        _row(string.concat("legs in separate transactions: ", name), separate / count);
        assertLe(batch / count, bar);
    }

    function _batch(SweepOrder[] memory orders) private returns (uint256) {
        bytes memory signature = _signBatch(_legHashes(orders));
        uint256[] memory limits = _limits(orders.length, 400_000);
        // The hashes of the own legs are not read. Zeros are the cheapest calldata.
        bytes32[] memory hashes = new bytes32[](orders.length);
        vm.prank(relayer);
        assertEq(ISweepDelegate(owner).executeBatch(orders, limits, hashes, 0, signature), (1 << orders.length) - 1);
        return vm.lastCallGas().gasTotalUsed;
    }

    function _entered(SweepOrder[] memory orders) private returns (uint256) {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](orders.length);
        for (uint256 i; i < orders.length; ++i) {
            items[i] = _item(orders[i], _signCompact(orders[i], ownerKey), 400_000);
        }
        vm.prank(relayer);
        assertEq(entry.run(items), (1 << orders.length) - 1);
        return vm.lastCallGas().gasTotalUsed;
    }

    function _separate(SweepOrder[] memory orders) private returns (uint256 gas) {
        for (uint256 i; i < orders.length; ++i) {
            _execute(orders[i], _signCompact(orders[i], ownerKey));
            gas += vm.lastCallGas().gasTotalUsed;
        }
    }

    function _leg(uint256 index, uint256 coin) private view returns (SweepOrder memory order) {
        order = _swapOrder(owner, index);
        order.tokenIn = address(coins[coin]);
        order.minAmountOut = REST * 9 / 10;
        order.swapCalldata = abi.encodeCall(ISwapRouter02.exactInputSingle, (_swap(coins[coin], REST, owner)));
    }

    function _swap(ICoin coin, uint256 amount, address recipient)
        private
        view
        returns (ISwapRouter02.ExactInputSingleParams memory)
    {
        return ISwapRouter02.ExactInputSingleParams(address(coin), address(tokenOut), POOL_FEE, recipient, amount, 0, 0);
    }

    function _row(string memory name, uint256 gas) private {
        vm.snapshotValue("Gas", name, gas);
        console.log(gas, name);
    }
}
