// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { console } from "forge-std/console.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { UniswapScene } from "./support/UniswapScene.sol";

contract GasProbe is UniswapScene {
    function setUp() public {
        _scene();
        address[] memory targets = new address[](1);
        targets[0] = address(router);
        _deploy(weth, targets);
        tokenIn.mint(owner, 10 * AMOUNT);
        tokenOut.mint(owner, 1e18);
        tokenIn.mint(feeRecipient, 1e18);
        tokenIn.mint(builder, 1e18);
        address other = makeAddr("other");
        tokenIn.mint(other, AMOUNT);
        tokenIn.mint(address(router), 1);
        vm.startPrank(other);
        tokenIn.approve(address(router), AMOUNT);
        (bool ok,) = address(router).call(_swapCall(AMOUNT, other));
        vm.stopPrank();
        assertTrue(ok);
    }

    function _used() internal returns (uint256) {
        return vm.lastCallGas().gasTotalUsed;
    }

    function test_eoa() public {
        address payable to = payable(makeAddr("x"));
        vm.deal(to, 1);
        vm.deal(relayer, 1 ether);
        vm.prank(relayer);
        (bool k,) = to.call{value: 1}("");
        console.log("plain", vm.lastCallGas().gasTotalUsed, uint64(vm.lastCallGas().gasRefunded));
        vm.prank(owner);
        tokenIn.approve(address(router), AMOUNT);
        uint256 a = _used();
        console.log("approve", a, uint64(vm.lastCallGas().gasRefunded));
        bytes memory data = _swapCall(AMOUNT, owner);
        vm.prank(owner);
        (bool ok,) = address(router).call(data);
        assertTrue(ok);
        console.log("swap", _used(), a + _used(), uint64(vm.lastCallGas().gasRefunded));
    }

    function test_used() public {
        _delegate(owner, address(delegate));
        _executeSigned(_swapOrder(owner, 0));
        console.log("first", _used(), uint64(vm.lastCallGas().gasRefunded));
        _executeSigned(_swapOrder(owner, 1));
        console.log("used", _used(), uint64(vm.lastCallGas().gasRefunded));
    }

    function test_fresh() public {
        vm.deal(owner, 1);
        bytes memory sig = _sign(_swapOrder(owner, 0), ownerKey);
        SweepOrder memory order = _swapOrder(owner, 0);
        address to = makeAddr("x"); vm.deal(to, 1); vm.deal(makeAddr("y"),1);
        vm.deal(relayer, 1 ether);
        vm.signAndAttachDelegation(address(delegate), ownerKey);
        vm.prank(relayer);
        (bool k,) = makeAddr("y").call{value: 1}("");
        console.log("plain delegating", vm.lastCallGas().gasTotalUsed, uint64(vm.lastCallGas().gasRefunded));
        vm.prank(relayer);
        (k,) = owner.call{value: 1}("");
        console.log("plain delegated", vm.lastCallGas().gasTotalUsed, uint64(vm.lastCallGas().gasRefunded));
        vm.signAndAttachDelegation(address(delegate), ownerKey);
        _execute(order, sig);
        console.log("fresh", _used(), uint64(vm.lastCallGas().gasRefunded));
    }
}
